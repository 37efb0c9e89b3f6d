// Distinguishable requests of all signals, each with the rows that the store must have.
import { createHash } from 'node:crypto'
import type { Profiles } from '@hearth/profile'
import { ProfilesBuilder, encodeOtlp } from '@hearth/profile'
import type { Signal } from '../store/keeper.ts'

export interface SentRequest {
  readonly signal: Signal
  readonly body: Uint8Array
  readonly type: 'application/json' | 'application/x-protobuf'
  /** In hex. */
  readonly id: string
  /** Rows in the signal's own table. */
  readonly items: number
  /** Rows in `span_samples`. */
  readonly linked: number
  readonly profiles?: Profiles
}

const TIME = 1_790_000_000_000_000_000n
const SIGNALS: readonly Signal[] = ['profiles', 'traces', 'profiles', 'logs', 'profiles', 'metrics']

/** The n-th request. The same n gives the same request. */
export function sentRequest(n: number): SentRequest {
  const signal = SIGNALS[n % SIGNALS.length]
  const items = 1 + (n % 7)
  if (signal === 'profiles') {
    const { profiles, linked } = profilesOf(n, items)
    return {
      ...identified(signal, encodeOtlp(profiles)),
      type: 'application/x-protobuf',
      items,
      linked,
      profiles,
    }
  }
  const body = new TextEncoder().encode(JSON.stringify(JSON_BODIES[signal](n, items)))
  return { ...identified(signal, body), type: 'application/json', items, linked: 0 }
}

/** The id that the receiver assigns to a body. */
export function identified(signal: Signal, body: Uint8Array): Pick<SentRequest, 'signal' | 'body' | 'id'> {
  const digest = createHash('sha256').update(signal).update('\0').update(body).digest('hex')
  return { signal, body, id: digest.slice(0, 32) }
}

/** Half of the stacks occur in other requests, half are new. Some samples have times, some have links. */
function profilesOf(n: number, items: number): { readonly profiles: Profiles; readonly linked: number } {
  const b = new ProfilesBuilder()
  let linked = 0
  b.resource({ attributes: [{ key: 'service.name', value: `service-${n % 5}` }] })
  b.scope({ name: 'kill', version: String(n % 3) })
  const mapping = b.mapping({ filename: `lib${n % 4}.so`, attributes: [b.attribute('build', `b${n % 4}`)] })
  const location = (name: string): ReturnType<typeof b.location> => {
    const fn = b.function({ name, filename: `${name}.ts` })
    return b.location({ mapping, address: BigInt(name.length), lines: [{ function: fn, line: 7 }] })
  }
  const root = location('main')
  for (let i = 0; i < items; i++) {
    b.profile({ type: i % 2 === 0 ? 'cpu' : 'wall', unit: 'nanoseconds', timeUnixNano: TIME + BigInt(n), period: 1 })
    for (let s = 0; s < 4 + (n % 5); s++) {
      const leaf = s % 2 === 0 ? location(`shared-${(n + s) % 50}`) : location(`own-${n}-${i}-${s}`)
      const link = s % 4 === 1 ? b.link(idOf(n * 100 + s, 16), idOf(n * 100 + s, 8)) : undefined
      if (link !== undefined) linked++
      b.sample({
        stack: b.stack([leaf, root]),
        values: [n * 1000 + s],
        ...(s % 3 === 0 ? { timestamps: [TIME + BigInt(n * 1000 + s)] } : {}),
        ...(link === undefined ? {} : { link }),
        attributes: [b.attribute('thread.name', `t-${s % 3}-${n % 11}`)],
      })
    }
  }
  return { profiles: b.build(), linked }
}

function idOf(n: number, length: number): Uint8Array {
  const id = new Uint8Array(length).fill(1)
  new DataView(id.buffer).setUint32(0, n)
  return id
}

type JsonBody = (n: number, items: number) => object

const JSON_BODIES: Readonly<Record<Exclude<Signal, 'profiles'>, JsonBody>> = {
  traces: (n, items) => ({
    resourceSpans: [
      { resource: resource(n), scopeSpans: [{ scope: { name: 'kill' }, spans: list(items, i => span(n, i)) }] },
    ],
  }),
  logs: (n, items) => ({
    resourceLogs: [
      { resource: resource(n), scopeLogs: [{ scope: { name: 'kill' }, logRecords: list(items, i => record(n, i)) }] },
    ],
  }),
  metrics: (n, items) => ({
    resourceMetrics: [
      {
        resource: resource(n),
        scopeMetrics: [
          {
            scope: { name: 'kill' },
            metrics: [{ name: `m-${n}`, gauge: { dataPoints: list(items, i => point(n, i)) } }],
          },
        ],
      },
    ],
  }),
}

function resource(n: number): object {
  return { attributes: [{ key: 'service.name', value: { stringValue: `service-${n % 5}` } }] }
}

function span(n: number, i: number): object {
  const traceId = Buffer.from(idOf(n, 16)).toString('hex')
  const spanId = Buffer.from(idOf(n * 10 + i, 8)).toString('hex')
  const start = TIME + BigInt(n)
  return { traceId, spanId, name: `span ${i}`, startTimeUnixNano: `${start}`, endTimeUnixNano: `${start + 5n}` }
}

function record(n: number, i: number): object {
  return { timeUnixNano: `${TIME + BigInt(n)}`, body: { stringValue: `record ${i} of request ${n}` } }
}

function point(n: number, i: number): object {
  return { timeUnixNano: `${TIME + BigInt(n)}`, asInt: String(i), attributes: [] }
}

function list<Item>(count: number, make: (i: number) => Item): Item[] {
  return Array.from({ length: count }, (_, i) => make(i))
}
