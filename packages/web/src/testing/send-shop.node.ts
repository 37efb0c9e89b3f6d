// Sends the shop's profiles of the last hour to a server: `npx tsx … http://127.0.0.1:4318`, for looking at the page by hand.
import { shopProfiles } from './shop-profiles.ts'

export async function sendShop(otlpHttp: string, minutes = 55): Promise<void> {
  const until = BigInt(Date.now()) * 1_000_000n
  for (const [service, region] of [
    ['checkout', 'eu-west'],
    ['checkout', 'us-east'],
    ['search', 'eu-west'],
  ] as const) {
    // All at once: they are committed together, where one by one each would wait for its own commit.
    await Promise.all(Array.from(shopProfiles({ service, region, until, minutes }), bytes => push(otlpHttp, bytes)))
  }
}

async function push(otlpHttp: string, bytes: Uint8Array): Promise<void> {
  const answer = await fetch(`${otlpHttp}/v1/push?format=otlp`, {
    method: 'POST',
    headers: { 'content-type': 'application/octet-stream' },
    body: bytes as Uint8Array<ArrayBuffer>,
  })
  if (!answer.ok) throw new Error(`${answer.status}: ${await answer.text()}`)
}

if (process.argv[1]?.endsWith('send-shop.node.ts') === true) await sendShop(process.argv[2])
