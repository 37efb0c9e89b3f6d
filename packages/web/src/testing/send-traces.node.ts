// Sends traces of an imaginary shop to a server, with their profiles and logs.
import type { ShopSpan } from './shop-traces.ts'
import { logsJson, profilesOf, shopRequests, spansOf, tracesJson } from './shop-traces.ts'

/** The maximum number of spans in a request, about 8 MB of JSON. */
const MAX_SPANS = 20_000

export async function sendTraces(otlpHttp: string, until = BigInt(Date.now()) * 1_000_000n): Promise<void> {
  const requests = shopRequests(until)
  await sendSpans(otlpHttp, requests.flatMap(spansOf))
  await post(`${otlpHttp}/v1/logs`, JSON.stringify(logsJson(requests)), 'application/json')
  const push = `${otlpHttp}/v1/push?format=otlp`
  await Promise.all(
    Array.from(profilesOf(requests), bytes => post(push, bytes as Uint8Array<ArrayBuffer>, 'application/octet-stream')),
  )
}

export async function sendSpans(otlpHttp: string, spans: readonly ShopSpan[]): Promise<void> {
  for (let from = 0; from < spans.length; from += MAX_SPANS) {
    const body = JSON.stringify(tracesJson(spans.slice(from, from + MAX_SPANS)))
    await post(`${otlpHttp}/v1/traces`, body, 'application/json')
  }
}

async function post(url: string, body: string | Uint8Array<ArrayBuffer>, type: string): Promise<void> {
  const response = await fetch(url, { method: 'POST', headers: { 'content-type': type }, body })
  const text = await response.text()
  if (!response.ok || text.includes('artial')) throw new Error(`${response.status}: ${text}`)
}

if (process.argv[1]?.endsWith('send-traces.node.ts') === true) await sendTraces(process.argv[2])
