// The client of `npm run bench:agent`, in its own process. Each order sends some requests to one application.
import { Agent, request } from 'node:http'

export interface LoadOrder {
  readonly port: number
  readonly requests: number
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

async function run({ port, requests, atOnce }: LoadOrder): Promise<void> {
  let sent = 0
  const customers = Array.from({ length: atOnce }, async () => {
    while (sent++ < requests) await sendRequest(port)
  })
  await Promise.all(customers)
}

process.on('message', (order: LoadOrder) => {
  void run(order).then(() => process.send?.('done'))
})
process.on('disconnect', () => process.exit(0))
