// The peer in bench/broker/broker.ts: requests and replies of the same size over a NATS server, with subjects instead of rules. It
// runs in its own process, as the Broker's components and requesters do.
import { connect } from '@nats-io/transport-node'
import type { BrokerOrder, BrokerReport } from './broker-load.ts'
import { quantilesOf } from '../quantiles.ts'

const PATIENCE_MS = 30_000

async function sendRequests(order: Extract<BrokerOrder, { kind: 'requests' }>): Promise<BrokerReport> {
  const { port, subscriptions, rules, requesters, atOnce, requests, bytes } = order
  const servers = `127.0.0.1:${port}`
  const [components, requester] = await Promise.all([connect({ servers }), connect({ servers })])
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
    Array.from({ length: requesters * atOnce }, async () => {
      while (left-- > 0) {
        const start = performance.now()
        await requester.request(`service-${left % rules}`, content, { timeout: PATIENCE_MS })
        latencies.push(performance.now() - start)
      }
    }),
  )
  const seconds = (performance.now() - started) / 1000
  const { user, system } = process.cpuUsage(cpu)
  await Promise.all([components.close(), requester.close()])
  return { seconds, ...quantilesOf(latencies), cpuSeconds: (user + system) / 1e6 }
}

process.on('message', (order: BrokerOrder) => {
  if (order.kind !== 'requests') throw new Error('nats-load only sends requests')
  void sendRequests(order).then(report => process.send?.(report, () => process.disconnect()))
})
