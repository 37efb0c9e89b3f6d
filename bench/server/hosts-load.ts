// The load of many hosts, in its own process: each sends a request every five seconds, at times that are spread evenly. The clock
// decides when a request is sent, not the response to the one before. A rejected request is sent again.
import { connect } from 'node:http2'
import { gzipSync } from 'node:zlib'
import { setTimeout as sleep } from 'node:timers/promises'
import { call, frame } from './grpc-call.ts'
import { hostPayloads, patch } from './ingest-payloads.ts'

export interface HostsOrder {
  readonly port: number
  readonly hosts: number
  /** Samples a second of each host. */
  readonly rate: number
  readonly seconds: number
}

export interface HostsReport {
  readonly requests: number
  readonly samples: number
  /** Mean bytes of a request, compressed with gzip as agents send it. Here requests are sent uncompressed, to save the CPU of the load. */
  readonly gzipBytes: number
  /** Requests that were sent more than a second after their time: the load could not keep up. */
  readonly late: number
  readonly refused: number
  /** Milliseconds. */
  readonly p50: number
  readonly p99: number
}

const EVERY_SECONDS = 5
const PAYLOADS = 64
const CONNECTIONS = 16
const LATE_MS = 1000
const RETRY_MS = 1000

async function run({ port, hosts, rate, seconds }: HostsOrder): Promise<HostsReport> {
  const payloads = hostPayloads(PAYLOADS, rate * EVERY_SECONDS)
  const sessions = Array.from({ length: CONNECTIONS }, () => connect(`http://127.0.0.1:${port}`))
  const count = Math.round((hosts * seconds) / EVERY_SECONDS)
  const latencies: number[] = []
  let [late, refused] = [0, 0]
  const send = async (n: number): Promise<void> => {
    const body = frame(patch(payloads[n % PAYLOADS], Math.floor(n / PAYLOADS)))
    const begun = performance.now()
    while ((await call(sessions[n % CONNECTIONS], body)) !== 0) {
      refused++
      await sleep(RETRY_MS)
    }
    latencies.push(performance.now() - begun)
  }
  const sent: Promise<void>[] = []
  const start = performance.now()
  for (let n = 0; n < count; n++) {
    const due = start + (1000 * seconds * n) / count
    const wait = due - performance.now()
    if (wait > 1) await sleep(wait)
    else if (wait < -LATE_MS) late++
    sent.push(send(n))
  }
  await Promise.all(sent)
  for (const session of sessions) session.close()
  const sorted = Float64Array.from(latencies).sort()
  const at = (share: number): number => sorted[Math.floor(sorted.length * share)]
  const gzipBytes = payloads.reduce((sum, { bytes }) => sum + gzipSync(bytes).length, 0) / PAYLOADS
  return {
    requests: count,
    samples: count * payloads[0].samples,
    gzipBytes,
    late,
    refused,
    p50: at(0.5),
    p99: at(0.99),
  }
}

process.once('message', (order: HostsOrder) => {
  void run(order).then(report => {
    process.send?.(report)
    process.disconnect()
  })
})
