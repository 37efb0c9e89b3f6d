// The data of the query benchmark: a day of 50 services with 40 instances each, one profile per minute and instance, in
// ten-by-ten batches of a Collector. A tenth of the services sends the time of every sample, and a third of those samples
// with its span. As in ingest-payloads.ts, requests are prepared ones with a few patched bytes. The patch depends on the
// request's number, so that queries know which traces exist.
import { ProfilesBuilder, encodeOtlp } from '@hearth/profile'
import type { Profiles } from '@hearth/profile'
import { randomFrom } from '../library/inputs.ts'

export const SERVICES = 50
const INSTANCES = 40
export const STACKS = 50_000
const BATCH = 10
/** Requests per minute of data. */
export const BATCHES = (SERVICES * INSTANCES) / (BATCH * BATCH)
const SAMPLES_A_PROFILE = 35
export const SAMPLES_A_REQUEST = BATCH * BATCH * SAMPLES_A_PROFILE
/** Minutes that differ in stacks and values, used in turn. */
const VARIANTS = 6
/** Services whose samples have times and spans: every tenth. */
export const TRACED_EVERY = 10
const LINKS_A_TRACE = 8

/** 2023-11-14, with room for a minute before the lower half wraps around. */
export const START = 0x17979d00_00000000n
/** "A minute": 60.13 seconds, which changes only the upper half. */
export const MINUTE = 14n * 2n ** 32n
const MARK = Buffer.from('hearth-query')

export interface Batch {
  readonly bytes: Buffer
  /** Offsets of the upper halves of times, and their values in the first minute. */
  readonly times: readonly (readonly [at: number, upper: number])[]
  /** Offsets of trace and span ids, with the number of the trace in the request. */
  readonly links: readonly (readonly [trace: number, span: number, number: number])[]
}

/** All prepared requests, by `variant * BATCHES + batch`. */
export function prepareBatches(): Batch[] {
  const batches: Batch[] = []
  for (let variant = 0; variant < VARIANTS; variant++) {
    for (let batch = 0; batch < BATCHES; batch++) batches.push(prepare(variant, batch))
  }
  return batches
}

function prepare(variant: number, batch: number): Batch {
  const bytes = Buffer.from(encodeOtlp(batchProfiles(variant, batch, START)))
  const later = Buffer.from(encodeOtlp(batchProfiles(variant, batch, START + 2n ** 32n)))
  const times: (readonly [number, number])[] = []
  for (let at = 0; at < bytes.length; at++) {
    if (bytes[at] === later[at]) continue
    times.push([at, bytes.readUInt32LE(at)])
    at += 3
  }
  const links: (readonly [number, number, number])[] = []
  for (let at = bytes.indexOf(MARK); at !== -1; at = bytes.indexOf(MARK, at + 16)) {
    // trace_id is 16 bytes, followed by the tag and length of span_id.
    links.push([at, at + 18, bytes.readUInt32BE(at + 12)])
  }
  return { bytes, times, links }
}

/** The n-th request in the prepared one's own memory: valid until the next call. */
export function request(batches: readonly Batch[], n: number): Buffer {
  const minute = Math.floor(n / BATCHES)
  const { bytes, times, links } = batches[(minute % VARIANTS) * BATCHES + (n % BATCHES)]
  for (const [at, upper] of times) bytes.writeUInt32LE(upper + minute * Number(MINUTE >> 32n), at)
  for (const [i, [trace, span, number]] of links.entries()) {
    traceId(n, number).copy(bytes, trace)
    spanId(n, i).copy(bytes, span)
  }
  return bytes
}

/** Random-looking ids: bytes that do not compress, in no order. */
export function traceId(n: number, trace: number): Buffer {
  return randomBytes(16, n * 4096 + trace)
}

function spanId(n: number, link: number): Buffer {
  return randomBytes(8, -(n * 4096 + link) - 1)
}

function randomBytes(length: number, seed: number): Buffer {
  const random = randomFrom(seed)
  const bytes = Buffer.allocUnsafe(length)
  for (let at = 0; at < length; at += 4) bytes.writeUInt32LE(random() * 2 ** 32, at)
  return bytes
}

/** The batch that contains a service's profiles, for the first ten instances. */
export function batchOf(service: number): number {
  return Math.floor(service / BATCH)
}

function batchProfiles(variant: number, batch: number, start: bigint): Profiles {
  const random = randomFrom(variant * BATCHES + batch + 1)
  const b = new ProfilesBuilder()
  const stackOf = stacksIn(b)
  let linked = 0
  for (let k = 0; k < BATCH * BATCH; k++) {
    const service = (batch % (SERVICES / BATCH)) * BATCH + (k % BATCH)
    const instance = Math.floor(batch / (SERVICES / BATCH)) * BATCH + Math.floor(k / BATCH)
    b.resource({
      attributes: [
        { key: 'service.name', value: serviceName(service) },
        { key: 'service.instance.id', value: `${serviceName(service)}-${instance}` },
        { key: 'host.name', value: `node-${instance % 16}` },
        { key: 'cloud.region', value: ['eu-west-1', 'us-east-1'][instance % 2] },
      ],
    })
    b.scope({ name: 'bench', version: '1.0.0' })
    // Spread over the minute.
    const begin = start + BigInt(instance) * 1_000_000_007n
    b.profile({
      type: 'cpu',
      unit: 'nanoseconds',
      periodType: 'cpu',
      periodUnit: 'nanoseconds',
      period: 10_000_000,
      timeUnixNano: begin,
      durationNano: 60_000_000_000n,
    })
    const timed = service % TRACED_EVERY === 0
    for (let s = 0; s < SAMPLES_A_PROFILE; s++) {
      // Skewed: a few stacks are seen all the time, most of them rarely.
      const stack = stackOf(service, Math.floor((STACKS / SERVICES) * random() ** 2))
      const value = 10_000_000 * (1 + Math.floor(20 * random() ** 2))
      const thread = Math.floor(8 * random())
      b.sample({
        stack,
        values: [value],
        attributes: [b.attribute('thread.name', `worker-${thread}`)],
        ...(timed ? { timestamps: [begin + BigInt(Math.floor(random() * 20e9))] } : {}),
        ...(timed && random() < 1 / 3 ? { link: markedLink(b, linked++) } : {}),
      })
    }
  }
  return b.build()
}

export function serviceName(service: number): string {
  return `service-${service}`
}

const FUNCTIONS_A_SERVICE = 600
/** Call paths from the root that all stacks of a service share, and the paths that branch off from them. */
const WAYS = 10
const BRANCHES = 100

/** Stacks share most of their path, as calls do: of 25 frames some eight are a stack's own. */
function stacksIn(b: ProfilesBuilder): (service: number, number: number) => ReturnType<ProfilesBuilder['stack']> {
  const made = new Map<number, ReturnType<ProfilesBuilder['stack']>>()
  const locations = new Map<number, ReturnType<ProfilesBuilder['location']>>()
  const location = (service: number, i: number): ReturnType<ProfilesBuilder['location']> => {
    const key = service * FUNCTIONS_A_SERVICE + i
    let found = locations.get(key)
    if (found === undefined) {
      // A quarter belongs to libraries that all services use.
      const own = i % 4 !== 0
      const place = own ? `service${service}/internal/package${i % 37}` : `library${i % 13}`
      found = b.location({
        mapping: b.mapping({ filename: `/usr/bin/${serviceName(service)}` }),
        address: BigInt(0x400000 + key * 64),
        lines: [
          {
            function: b.function({ name: `${place}.(*Type${i % 7}).Method${i}`, filename: `/src/${place}/file.go` }),
            line: 10 + (i % 300),
          },
        ],
      })
      locations.set(key, found)
    }
    return found
  }
  return (service, number) => {
    const key = service * STACKS + number
    let stack = made.get(key)
    if (stack === undefined) {
      const depth = 10 + Math.floor(randomFrom(key)() * 30)
      const path = Array.from({ length: depth }, (_, d) => {
        const way = d < depth * 0.4 ? number % WAYS : d < depth * 0.7 ? WAYS + (number % BRANCHES) : number + 1000
        const frame = randomFrom((service * STACKS + way) * 64 + d)()
        return location(service, Math.floor(frame * FUNCTIONS_A_SERVICE))
      })
      stack = b.stack(path.reverse())
      made.set(key, stack)
    }
    return stack
  }
}

function markedLink(b: ProfilesBuilder, n: number): ReturnType<ProfilesBuilder['link']> {
  const id = Buffer.alloc(24, 'x')
  MARK.copy(id)
  id.writeUInt32BE(Math.floor(n / LINKS_A_TRACE), 12)
  id.writeUInt32BE(n, 16)
  return b.link(id.subarray(0, 16), id.subarray(16))
}
