// The load of the query benchmark, in its own process: requests of query-payloads.ts from one number to another, as fast as
// the server accepts them or at a given rate, until the parent stops it.
import type { ClientHttp2Session } from 'node:http2'
import { connect } from 'node:http2'
import { setTimeout as sleep } from 'node:timers/promises'
import { call, frame } from './grpc-call.ts'
import { SAMPLES_A_REQUEST, prepareBatches, request } from './query-payloads.ts'

export interface QueryLoadOrder {
  readonly port: number
  /** Numbers of requests. */
  readonly from: number
  readonly to: number
  /** Samples per second; default: as many as the server accepts. */
  readonly rate?: number
}

export interface QueryLoadReport {
  readonly next: number
  readonly seconds: number
  readonly samplesASecond: number
}

const AT_ONCE = 24

async function run(order: QueryLoadOrder, signal: AbortSignal): Promise<QueryLoadReport> {
  const batches = prepareBatches()
  process.send?.('ready')
  const sessions = Array.from({ length: 4 }, () => connect(`http://127.0.0.1:${order.port}`))
  const begun = performance.now()
  let next = order.from
  const worker = async (session: ClientHttp2Session): Promise<void> => {
    while (next < order.to && !signal.aborted) {
      const n = next++
      if (order.rate !== undefined) {
        const due = ((n - order.from) * SAMPLES_A_REQUEST * 1000) / order.rate
        await sleep(Math.max(0, begun + due - performance.now()))
      }
      const body = frame(request(batches, n))
      while ((await call(session, body)) !== 0) await sleep(50)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, (_, i) => worker(sessions[i % sessions.length])))
  const seconds = (performance.now() - begun) / 1000
  for (const session of sessions) session.close()
  return { next, seconds, samplesASecond: ((next - order.from) * SAMPLES_A_REQUEST) / seconds }
}

const stop = new AbortController()
process.on('message', (message: QueryLoadOrder | 'stop') => {
  if (message === 'stop') return stop.abort()
  void run(message, stop.signal).then(report => {
    process.send?.(report)
    process.disconnect()
  })
})
