// Sends profiles with thread states to a server. To try the UI with them: `npx tsx … http://127.0.0.1:4318`.
import { crowdSignals, threadSignals } from './thread-profiles.ts'

/** Returns the start of the profiles, in nanoseconds since 1970. */
export async function sendThreads(otlpHttp: string): Promise<bigint> {
  const from = (BigInt(Date.now()) / 1000n - 60n) * 1_000_000_000n
  const { profiles, traces, logs, metrics } = threadSignals(from)
  const bodies: readonly Body[] = [
    ['/v1development/profiles', 'application/x-protobuf', profiles],
    ['/v1/traces', 'application/json', JSON.stringify(traces)],
    ['/v1/logs', 'application/json', JSON.stringify(logs)],
    ['/v1/metrics', 'application/json', JSON.stringify(metrics)],
  ]
  await sendAll(otlpHttp, bodies)
  return from
}

/** Sends more spans and logs of one thread than fit on the screen. */
export async function sendCrowd(otlpHttp: string, from: bigint): Promise<void> {
  const { traces, logs } = crowdSignals(from)
  await sendAll(otlpHttp, [
    ['/v1/traces', 'application/json', JSON.stringify(traces)],
    ['/v1/logs', 'application/json', JSON.stringify(logs)],
  ])
}

type Body = readonly [path: string, type: string, body: Uint8Array | string]

async function sendAll(otlpHttp: string, bodies: readonly Body[]): Promise<void> {
  for (const [path, type, body] of bodies) {
    const response = await fetch(otlpHttp + path, {
      method: 'POST',
      headers: { 'content-type': type },
      body: body as Uint8Array<ArrayBuffer> | string,
    })
    if (!response.ok) throw new Error(`${path}: ${response.status}: ${await response.text()}`)
  }
}

if (process.argv[1]?.endsWith('send-threads.node.ts') === true) await sendThreads(process.argv[2])
