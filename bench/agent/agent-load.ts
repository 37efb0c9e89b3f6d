// The client of `npm run bench:agent`, in its own process. Each order sends requests to one application for a given time.
import { Agent, request } from 'node:http'

export interface LoadOrder {
  readonly port: number
  readonly millis: number
  readonly atOnce: number
}

const BODY = JSON.stringify({
  lines: Array.from({ length: 150 }, (_, i) => ({
    name: `product ${(i * 7919) % 1009}`,
    count: (i % 7) + 1,
    cents: 100 + i,
  })),
})
const agent = new Agent({ keepAlive: true })

function sendRequest(port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, method: 'POST', agent }, response => {
      response.resume().on('end', resolve).on('error', reject)
    })
    sent.on('error', reject)
    sent.end(BODY)
  })
}

async function run({ port, millis, atOnce }: LoadOrder): Promise<void> {
  const until = performance.now() + millis
  const customers = Array.from({ length: atOnce }, async () => {
    while (performance.now() < until) await sendRequest(port)
  })
  await Promise.all(customers)
}

process.on('message', (order: LoadOrder) => {
  void run(order).then(() => process.send?.('done'))
})
process.on('disconnect', () => process.exit(0))
