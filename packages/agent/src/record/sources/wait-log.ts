// Waits of spans for asynchronous work: timers, DNS, connections, responses, files, the thread pool. A wait lasts from the start of the
// work to its callback. Stored in a ring of fixed size.
import { createHook } from 'node:async_hooks'
import type { AsyncHook } from 'node:async_hooks'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { performance } from 'node:perf_hooks'
import type { SampleLabels } from '../samples/sample-labels.ts'
import { activeSpanIds } from '../spans/span-context.ts'
import { steadyZero } from './steady-zero.ts'

/** The names of the resources that spans wait for. */
export const WAIT_NAMES = [
  '(timer)',
  '(file system)',
  '(DNS lookup)',
  '(connect)',
  '(socket write)',
  '(HTTP response)',
  '(thread pool)',
  '(child process)',
] as const

/** The kind of wait of each type of asynchronous resource in Node. Promises and long-lived resources say nothing about a wait. */
const KINDS: ReadonlyMap<string, (typeof WAIT_NAMES)[number]> = new Map([
  ['Timeout', '(timer)'],
  ['FSREQCALLBACK', '(file system)'],
  ['FSREQPROMISE', '(file system)'],
  ['GETADDRINFOREQWRAP', '(DNS lookup)'],
  ['GETNAMEINFOREQWRAP', '(DNS lookup)'],
  ['QUERYWRAP', '(DNS lookup)'],
  ['TCPCONNECTWRAP', '(connect)'],
  ['PIPECONNECTWRAP', '(connect)'],
  ['WRITEWRAP', '(socket write)'],
  ['PBKDF2REQUEST', '(thread pool)'],
  ['SCRYPTREQUEST', '(thread pool)'],
  ['RANDOMBYTESREQUEST', '(thread pool)'],
  ['HASHREQUEST', '(thread pool)'],
  ['SIGNREQUEST', '(thread pool)'],
  ['ZLIB', '(thread pool)'],
  ['PROCESSWRAP', '(child process)'],
])

export interface AsyncWaits {
  /** The start, in Unix microseconds. */
  readonly time: Float64Array
  readonly nanos: Float64Array
  /** Index into WAIT_NAMES. */
  readonly kind: Uint8Array
  /** The span that waited. */
  readonly labels: readonly SampleLabels[]
}

interface OpenWait {
  readonly started: number
  readonly kind: number
  readonly labels: SampleLabels
}

/** Shorter waits say nothing: a turn of the event loop takes as long. */
const MIN_MILLIS = 1
/** A busy service has a few hundred waits per second. */
const CAPACITY = 16_384
/** Further waits are ignored until some end. */
const MAX_OPEN = 16_384

/** Messages of `http` and of undici, which is behind fetch. */
const REQUEST_CHANNELS = ['http.client.request.start', 'undici:request:create'] as const
const RESPONSE_CHANNELS = ['http.client.response.finish', 'undici:request:headers', 'undici:request:error'] as const

export class WaitLog {
  readonly #waits: {
    readonly time: number
    readonly nanos: number
    readonly kind: number
    readonly labels: SampleLabels
  }[] = []
  readonly #open = new Map<number, OpenWait>()
  readonly #requests = new Map<object, OpenWait>()
  #count = 0
  #hook: AsyncHook | undefined

  start(): void {
    this.#hook = createHook({
      init: (id, type) => {
        if (type === 'PROMISE' || this.#open.size >= MAX_OPEN) return
        const kind = KINDS.get(type)
        if (kind === undefined) return
        const wait = beginWait(kind)
        if (wait !== undefined) this.#open.set(id, wait)
      },
      before: id => {
        const wait = this.#open.get(id)
        if (wait === undefined) return
        this.#open.delete(id)
        this.#end(wait)
      },
      destroy: id => void this.#open.delete(id),
    }).enable()
    for (const channel of REQUEST_CHANNELS) subscribe(channel, this.#onRequest)
    for (const channel of RESPONSE_CHANNELS) subscribe(channel, this.#onResponse)
  }

  stop(): void {
    this.#hook?.disable()
    for (const channel of REQUEST_CHANNELS) unsubscribe(channel, this.#onRequest)
    for (const channel of RESPONSE_CHANNELS) unsubscribe(channel, this.#onResponse)
    this.#open.clear()
    this.#requests.clear()
  }

  /** The number of waits so far: `since` of the next read. */
  get count(): number {
    return this.#count
  }

  /** Returns the waits from the `since`-th on that start in the range (Unix µs). */
  read(since: number, from = -Infinity, until = Infinity): AsyncWaits {
    const found = []
    for (let i = Math.max(since, this.#count - CAPACITY); i < this.#count; i++) {
      const wait = this.#waits[i % CAPACITY]
      if (wait.time >= from && wait.time <= until) found.push(wait)
    }
    return {
      time: Float64Array.from(found, ({ time }) => time),
      nanos: Float64Array.from(found, ({ nanos }) => nanos),
      kind: Uint8Array.from(found, ({ kind }) => kind),
      labels: found.map(({ labels }) => labels),
    }
  }

  readonly #onRequest = (message: unknown): void => {
    const request = requestOf(message)
    if (request === undefined || this.#requests.size >= MAX_OPEN) return
    const wait = beginWait('(HTTP response)')
    if (wait !== undefined) this.#requests.set(request, wait)
  }

  readonly #onResponse = (message: unknown): void => {
    const request = requestOf(message)
    const wait = request === undefined ? undefined : this.#requests.get(request)
    if (request === undefined || wait === undefined) return
    this.#requests.delete(request)
    this.#end(wait)
  }

  #end({ started, kind, labels }: OpenWait): void {
    const millis = performance.now() - started
    if (millis < MIN_MILLIS) return
    // The clocks drift, so that zero is read each time.
    const time = Math.round(steadyZero() + started * 1000)
    this.#waits[this.#count++ % CAPACITY] = { time, nanos: Math.round(millis * 1e6), kind, labels }
  }
}

/** Undefined outside of spans. */
function beginWait(kind: (typeof WAIT_NAMES)[number]): OpenWait | undefined {
  const ids = activeSpanIds()
  if (ids === undefined) return undefined
  return { started: performance.now(), kind: WAIT_NAMES.indexOf(kind), labels: { ...ids, attributes: [] } }
}

function requestOf(message: unknown): object | undefined {
  const { request } = message as { readonly request?: unknown }
  return typeof request === 'object' && request !== null ? request : undefined
}
