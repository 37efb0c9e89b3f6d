// The client of `npm run bench:peers`, in its own process: sends requests with a given concurrency until their number or the
// time is reached. A request that the server refuses for now is sent again.
import { Agent, request } from 'node:http'
import { connect } from 'node:http2'
import { setTimeout as sleep } from 'node:timers/promises'
import { call, frame } from '../server/grpc-call.ts'
import type { Form } from './requests.ts'
import { Requests, SERVICES, pushedProfile } from './requests.ts'

/** The destination of requests: a URL for HTTP, or an address and a path for gRPC. */
export type Target = { readonly url: string } | { readonly address: string; readonly path: string }

export interface PushOrder {
  readonly form: Form
  readonly target: Target
  /** Number of the first request, and of the one after the last. */
  readonly from: number
  readonly to: number
  /** Nanoseconds since 1970 of the first profile. */
  readonly start: string
  /** Nanoseconds between two profiles of a service. */
  readonly step: string
  readonly atOnce: number
  /** Requests that were not sent by then are skipped. */
  readonly maxSeconds: number
}

export interface PushReport {
  readonly acknowledged: number
  readonly refused: number
  readonly seconds: number
  readonly bytes: number
  /** CPU milliseconds of the client. */
  readonly clientMillis: number
}

/** Sends one body. False if the server asks to send it again. */
type Send = (body: Buffer) => Promise<boolean>

async function run(order: PushOrder): Promise<PushReport> {
  const requests = new Requests(order.form, pushedProfile())
  const { send, close } = 'url' in order.target ? overHttp(order) : overGrpc(order.target)
  const begun = performance.now()
  const cpuBefore = process.cpuUsage()
  const secondsSince = (): number => (performance.now() - begun) / 1000
  let [next, refused, acknowledged] = [order.from, 0, 0]
  const worker = async (): Promise<void> => {
    while (next < order.to && secondsSince() < order.maxSeconds) {
      const n = next++
      const body = requests.at(n, BigInt(order.start) + BigInt(Math.floor(n / SERVICES)) * BigInt(order.step))
      while (!(await send(body))) {
        refused++
        await sleep(50)
      }
      acknowledged++
    }
  }
  await Promise.all(Array.from({ length: order.atOnce }, worker))
  const seconds = secondsSince()
  const { user, system } = process.cpuUsage(cpuBefore)
  close()
  return { acknowledged, refused, seconds, bytes: requests.bytes, clientMillis: (user + system) / 1000 }
}

function overHttp({ form, target, atOnce }: PushOrder): { readonly send: Send; readonly close: () => void } {
  if (!('url' in target)) throw new Error('no URL')
  const agent = new Agent({ keepAlive: true, maxSockets: atOnce })
  const headers = { 'content-type': form === 'otlp' ? 'application/x-protobuf' : 'application/proto' }
  const send: Send = async body =>
    await new Promise((resolve, reject) => {
      const sent = request(target.url, { method: 'POST', agent, headers }, response => {
        let text = ''
        response.on('data', chunk => (text += String(chunk)))
        response.on('error', reject)
        response.on('end', () => {
          const status = response.statusCode ?? 0
          if (status === 200) resolve(true)
          else if (status === 429 || status === 503) resolve(false)
          else reject(new Error(`${target.url}: ${status} ${text.slice(0, 300)}`))
        })
      })
      sent.on('error', reject)
      sent.end(body)
    })
  return { send, close: () => agent.destroy() }
}

function overGrpc(target: { readonly address: string; readonly path: string }): {
  readonly send: Send
  readonly close: () => void
} {
  const sessions = Array.from({ length: 4 }, () => connect(`http://${target.address}`))
  let turn = 0
  return {
    send: async body => (await call(sessions[turn++ % sessions.length], frame(body), target.path)) === 0,
    close: () => sessions.forEach(session => session.close()),
  }
}

process.once('message', (order: PushOrder) => {
  void run(order).then(report => {
    process.send?.(report)
    process.disconnect()
  })
})
