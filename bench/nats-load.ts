// What bench/broker.ts is held against: requests and replies of the same size over a NATS server, whose subjects stand for
// rules. In a process of its own, as the Broker's components and askers are.
import { connect } from '@nats-io/transport-node'
import type { BrokerOrder, BrokerReport } from './broker-load.ts'
import { quantilesOf } from './quantiles.ts'

const PATIENCE_MS = 30_000

async function ask(order: Extract<BrokerOrder, { kind: 'ask' }>): Promise<BrokerReport> {
  const { port, subscriptions, rules, askers, atOnce, requests, bytes } = order
  const servers = `127.0.0.1:${port}`
  const [components, asker] = await Promise.all([connect({ servers }), connect({ servers })])
  for (let n = 0; n < subscriptions; n++) {
    const subject = `service-${n % rules}`
    components.subscribe(subject, { queue: subject, callback: (_error, message) => void message.respond(message.data) })
  }
  await components.flush()
  const content = new Uint8Array(bytes).fill(7)
  const latencies: number[] = []
  let left = requests
  const started = performance.now()
  const cpu = process.cpuUsage()
  await Promise.all(
    Array.from({ length: askers * atOnce }, async () => {
      while (left-- > 0) {
        const begun = performance.now()
        await asker.request(`service-${left % rules}`, content, { timeout: PATIENCE_MS })
        latencies.push(performance.now() - begun)
      }
    }),
  )
  const seconds = (performance.now() - started) / 1000
  const { user, system } = process.cpuUsage(cpu)
  await Promise.all([components.close(), asker.close()])
  return { seconds, ...quantilesOf(latencies), cpuSeconds: (user + system) / 1e6 }
}

process.on('message', (order: BrokerOrder) => {
  if (order.kind !== 'ask') throw new Error('only for requests')
  void ask(order).then(report => process.send?.(report, () => process.disconnect()))
})
