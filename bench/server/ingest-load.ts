// The ingest load, in its own process: OTLP over gRPC on plain http2 with a given concurrency. Rejected requests are sent
// again. The parent sends the order and gets the latency of each acknowledgement.
import type { ClientHttp2Session } from 'node:http2'
import { connect } from 'node:http2'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { call, frame } from './grpc-call.ts'
import type { Payload, Shape } from './ingest-payloads.ts'
import { patch, preparePayloads } from './ingest-payloads.ts'

export interface LoadOrder {
  readonly shape: Shape
  readonly port: number
  readonly samples: number
  readonly atOnce: number
}

export interface LoadReport {
  readonly samples: number
  readonly requests: number
  readonly refused: number
  readonly seconds: number
  /** Milliseconds. */
  readonly p50: number
  readonly p99: number
  readonly bytesPerSample: number
  readonly gzipPerSample: number
}

const PAYLOADS = { aggregated: 24, timestamped: 24 } as const

class Load {
  readonly #order: LoadOrder
  readonly #payloads: readonly Payload[]
  readonly #sessions: readonly ClientHttp2Session[]
  readonly #latencies: number[] = []
  #sent = 0
  #samples = 0
  #refused = 0

  constructor(order: LoadOrder, payloads: readonly Payload[]) {
    this.#order = order
    this.#payloads = payloads
    // Stands for several Collectors.
    this.#sessions = Array.from({ length: 4 }, () => connect(`http://127.0.0.1:${order.port}`))
  }

  async run(): Promise<LoadReport> {
    const begun = performance.now()
    await Promise.all(Array.from({ length: this.#order.atOnce }, (_, i) => this.#worker(this.#sessions[i % 4])))
    const seconds = (performance.now() - begun) / 1000
    for (const session of this.#sessions) session.close()
    const sorted = Float64Array.from(this.#latencies).sort()
    const [{ bytes, samples }] = this.#payloads
    return {
      samples: this.#samples,
      requests: sorted.length,
      refused: this.#refused,
      seconds,
      p50: sorted[Math.floor(sorted.length * 0.5)],
      p99: sorted[Math.floor(sorted.length * 0.99)],
      bytesPerSample: bytes.length / samples,
      gzipPerSample: gzipSync(patch(this.#payloads[0], 1)).length / samples,
    }
  }

  async #worker(session: ClientHttp2Session): Promise<void> {
    while (this.#samples < this.#order.samples) {
      const n = this.#sent++
      const payload = this.#payloads[n % this.#payloads.length]
      this.#samples += payload.samples
      const body = frame(patch(payload, Math.floor(n / this.#payloads.length) * 2))
      const begun = performance.now()
      while ((await call(session, body)) !== 0) {
        this.#refused++
        await sleep(50)
      }
      this.#latencies.push(performance.now() - begun)
    }
  }
}

process.once('message', (order: LoadOrder) => {
  const count = Math.min(PAYLOADS[order.shape], Math.ceil(order.samples / 6000))
  void new Load(order, preparePayloads(order.shape, count)).run().then(report => {
    process.send?.(report)
    process.disconnect()
  })
})
