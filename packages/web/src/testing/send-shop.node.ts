// Sends profiles of a shop to a server. To try the UI with them: `npx tsx … http://127.0.0.1:4318`.
import { shopProfiles } from './shop-profiles.ts'

export async function sendShop(otlpHttp: string, minutes = 55): Promise<void> {
  const until = BigInt(Date.now()) * 1_000_000n
  for (const [service, region] of [
    ['checkout', 'eu-west'],
    ['checkout', 'us-east'],
    ['search', 'eu-west'],
  ] as const) {
    // Concurrent requests share a commit. Sequential ones would each wait for their own.
    await Promise.all(Array.from(shopProfiles({ service, region, until, minutes }), bytes => push(otlpHttp, bytes)))
  }
}

export async function push(otlpHttp: string, bytes: Uint8Array): Promise<void> {
  const response = await fetch(`${otlpHttp}/v1/push?format=otlp`, {
    method: 'POST',
    headers: { 'content-type': 'application/octet-stream' },
    body: bytes as Uint8Array<ArrayBuffer>,
  })
  if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`)
}

if (process.argv[1]?.endsWith('send-shop.node.ts') === true) await sendShop(process.argv[2])
