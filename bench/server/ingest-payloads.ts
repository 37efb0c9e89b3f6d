// The payloads of the ingest load. All requests differ, as those of real senders do, by patching a few bytes of prepared
// ones: times advance with every request and trace ids are new. Otherwise the server would detect duplicates, and the data
// would compress better than real data.
import { randomFillSync } from 'node:crypto'
import type { Profiles } from '@hearth/profile'
import { ProfilesBuilder, concat, encodeOtlp } from '@hearth/profile'
import { averageProfile, randomFrom } from '../library/inputs.ts'

export type Shape = 'aggregated' | 'timestamped'

export interface Payload {
  readonly bytes: Buffer
  readonly samples: number
  /** Offsets of the upper halves of times: adding 1 there is 4.3 seconds. */
  readonly times: readonly number[]
  /** Offsets of the 24 bytes of trace and span id, the trace's 16 first. */
  readonly links: readonly (readonly [trace: number, span: number])[]
}

const START = 1_700_000_000_000_000_000n
const STEP = 2n ** 32n
const MARK = Buffer.from('hearth-bench')

export function preparePayloads(shape: Shape, count: number): Payload[] {
  return Array.from({ length: count }, (_, i) => (shape === 'aggregated' ? aggregated(i) : timestamped(i, LARGE_HOST)))
}

/** The n-th request made from a payload, in its own memory: valid until the next call. */
export function patch(payload: Payload, n: number): Buffer {
  const { bytes, times, links } = payload
  for (const at of times) bytes.writeUInt32LE(Number(START >> 32n) + n, at)
  for (const [trace, span] of links) {
    randomFillSync(bytes, trace, 16)
    randomFillSync(bytes, span, 8)
  }
  return bytes
}

/** 100 profiles of ten seconds, from 20 services in 5 places each, batched as a Collector does. */
function aggregated(seed: number): Payload {
  const parts = Array.from({ length: 100 }, (_, i) => averageProfile(seed * 100 + i, i % 20))
  const profiles = concat(parts)
  const bytes = Buffer.from(encodeOtlp(profiles))
  const start = Buffer.alloc(8)
  start.writeBigUInt64LE(START)
  const times: number[] = []
  for (let at = bytes.indexOf(start); at !== -1; at = bytes.indexOf(start, at + 8)) times.push(at + 4)
  return { bytes, samples: profiles.samples.length, times, links: [] }
}

const STACKS = 20_000
const TRACED_IN_A_ROW = 4

interface Host {
  readonly containers: number
  /** Samples per container and request. */
  readonly samples: number
}

/** Five seconds of 64 busy cores, 19 times a second. */
const LARGE_HOST: Host = { containers: 16, samples: 380 }

/** The requests of a host with four containers, `samples` in each request. */
export function hostPayloads(count: number, samples: number): Payload[] {
  const host = { containers: 4, samples: Math.round(samples / 4) }
  return Array.from({ length: count }, (_, i) => timestamped(i, host))
}

/** The request of an eBPF agent: every observation with time and thread, one in ten with its span. */
function timestamped(seed: number, host: Host): Payload {
  const now = Buffer.from(encodeOtlp(hostProfiles(seed, START, host)))
  const later = Buffer.from(encodeOtlp(hostProfiles(seed, START + STEP, host)))
  const times: number[] = []
  for (let at = 0; at < now.length; at++) {
    if (now[at] === later[at]) continue
    times.push(at)
    // Finds the upper half. A carry changes more than one byte.
    at += 3
  }
  const links: (readonly [number, number])[] = []
  for (let at = now.indexOf(MARK); at !== -1; at = now.indexOf(MARK, at + 16)) {
    // trace_id is 16 bytes, followed by the tag and length of span_id.
    links.push([at, at + 18])
  }
  return { bytes: now, samples: host.containers * host.samples, times, links }
}

function hostProfiles(seed: number, start: bigint, host: Host): Profiles {
  const random = randomFrom(seed + 1)
  const b = new ProfilesBuilder()
  const attribute = {
    kernel: b.attribute('profile.frame.type', 'kernel'),
    native: b.attribute('profile.frame.type', 'native'),
  }
  const location = remembered((i: number) => {
    const own = randomFrom(i)
    const kernel = own() < 0.3
    const mapping = b.mapping({
      filename: kernel ? 'vmlinux' : `lib${i % 60}.so`,
      attributes: [b.attribute('process.executable.build_id.htlhash', (i % 60).toString(16).padStart(32, '7'))],
    })
    const lines = kernel ? [{ function: b.function({ name: `kernel_function_${i % 900}` }) }] : []
    const address = BigInt(Math.floor(own() * 2 ** 36))
    return b.location({ mapping, address, lines, attributes: [kernel ? attribute.kernel : attribute.native] })
  })
  const stackOf = remembered((which: number) => {
    const own = randomFrom(which % STACKS)
    const depth = 6 + Math.floor(own() * 30)
    return b.stack(Array.from({ length: depth }, () => location(Math.floor(9000 * own() ** 2))))
  })
  let linked = 0
  for (let resource = 0; resource < host.containers; resource++) {
    const container = (seed % 8) * 16 + resource
    b.resource({
      attributes: [
        { key: 'service.name', value: `service-${container % 40}` },
        { key: 'container.id', value: container.toString(16).padStart(64, 'c0ffee') },
        { key: 'process.pid', value: BigInt(1000 + container) },
      ],
    })
    b.scope({ name: 'ebpf-profiler', version: 'v0.1' })
    b.profile({
      type: 'samples',
      unit: 'count',
      periodType: 'cpu',
      periodUnit: 'nanoseconds',
      period: 52_631_578,
      timeUnixNano: start,
      durationNano: 5_000_000_000n,
    })
    for (let left = host.samples; left > 0;) {
      // Skewed: a few stacks are seen all the time, most of them rarely.
      const stack = stackOf(container * 500 + Math.floor(500 * random() ** 3))
      const thread = Math.floor(random() * 24)
      const traced = random() < 0.18
      const observations = traced ? 1 : Math.min(left, 1 + Math.floor(3 * random()))
      left -= observations
      b.sample({
        stack,
        timestamps: Array.from({ length: observations }, () => start + BigInt(Math.floor(random() * 4_200_000_000))),
        attributes: [
          b.attribute('thread.name', `thread-${thread}`),
          b.attribute('thread.id', BigInt(container * 100 + thread)),
        ],
        ...(traced ? { link: markedLink(b, Math.floor(linked++ / TRACED_IN_A_ROW)) } : {}),
      })
    }
  }
  return b.build()
}

function remembered<Value>(make: (n: number) => Value): (n: number) => Value {
  const made = new Map<number, Value>()
  return n => {
    let value = made.get(n)
    if (value === undefined) made.set(n, (value = make(n)))
    return value
  }
}

function markedLink(b: ProfilesBuilder, n: number): ReturnType<ProfilesBuilder['link']> {
  const id = Buffer.alloc(24, 'x')
  MARK.copy(id)
  id.writeUInt32BE(n, 12)
  id.writeUInt32BE(n, 16)
  return b.link(id.subarray(0, 16), id.subarray(16))
}
