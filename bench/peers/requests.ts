// The requests of the comparison: one CPU profile of a Go service, sent for several services. Each request has another time,
// which is written over the prepared one, so that preparing requests costs the client little.
import { encodeOtlp, readProfile, withResources, writePprof } from '@hearth/profile'
import { corpusFile } from '../library/corpus-file.ts'
import { serviceProfile } from '../library/inputs.ts'
import { PUSH, WRITE_RAW } from './peer-messages.ts'

export const SERVICES = 40

/** The form of a request: Pyroscope's push, Parca's WriteRaw, or OTLP. */
export type Form = 'push' | 'write raw' | 'otlp'

export interface PushedProfile {
  readonly pprof: Uint8Array
  readonly samples: number
  /** CPU nanoseconds of all samples. */
  readonly total: bigint
}

export function serviceName(i: number): string {
  return `bench-${i % SERVICES}`
}

/** A real profile where it is available, otherwise a generated one of the same shape. */
export function pushedProfile(): PushedProfile {
  const pprof = corpusFile('pprof/labels.pb.gz') ?? generated()
  const { profiles, samples, dictionary } = readProfile(pprof).profiles
  const cpu = Array.from({ length: profiles.length }, (_, i) => i).find(
    i => dictionary.strings.text(profiles.type(i)) === 'cpu',
  )
  if (cpu === undefined) throw new Error('the profile has no type cpu')
  let total = 0n
  for (let row = profiles.samplesFrom(cpu); row < profiles.samplesTo(cpu); row++) total += samples.total(row)
  return { pprof, samples: profiles.samplesTo(cpu) - profiles.samplesFrom(cpu), total }
}

function generated(): Uint8Array {
  const types = [
    ['samples', 'count'],
    ['cpu', 'nanoseconds'],
  ] as const
  const shape = {
    seed: 1,
    types,
    samples: 121,
    functions: 330,
    depth: 14,
    labelSets: 8,
    variedNames: true,
    joined: true,
  }
  return writePprof(serviceProfile(shape)).bytes
}

export class Requests {
  readonly #bodies: readonly Buffer[]
  /** The offsets of the profile time in each body. */
  readonly #places: readonly (readonly number[])[]
  readonly #timeBytes: (time: bigint) => Buffer

  constructor(form: Form, { pprof }: PushedProfile) {
    this.#timeBytes = form === 'otlp' ? fixed64 : varint
    const own = this.#timeBytes(readProfile(pprof).profiles.profiles.time(0))
    this.#bodies = Array.from({ length: SERVICES }, (_, i) => Buffer.from(bodyOf(form, pprof, serviceName(i))))
    this.#places = this.#bodies.map(body => placesOf(own, body))
  }

  get bytes(): number {
    return this.#bodies[0].length
  }

  /** The n-th request, which belongs to the service n modulo {@link SERVICES}. */
  at(n: number, time: bigint): Buffer {
    const body = Buffer.from(this.#bodies[n % SERVICES])
    const written = this.#timeBytes(time)
    for (const place of this.#places[n % SERVICES]) written.copy(body, place)
    return body
  }
}

function bodyOf(form: Form, pprof: Uint8Array, service: string): Uint8Array {
  if (form === 'otlp') {
    const attributes = [{ key: 'service.name', value: service }]
    return encodeOtlp(withResources(readProfile(pprof).profiles, resource => ({ ...resource, attributes })))
  }
  const labels = [
    { name: '__name__', value: 'process_cpu' },
    { name: 'service_name', value: service },
  ]
  const samples = [{ rawProfile: pprof }]
  return form === 'push'
    ? PUSH.encode({ series: [{ labels, samples }] })
    : WRITE_RAW.encode({ series: [{ labels: { labels }, samples }] })
}

function placesOf(time: Buffer, body: Buffer): number[] {
  const places: number[] = []
  for (let at = body.indexOf(time); at !== -1; at = body.indexOf(time, at + time.length)) places.push(at)
  if (places.length === 0) throw new Error('a request has no time')
  return places
}

function fixed64(time: bigint): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64LE(time)
  return bytes
}

/** Nine bytes, like every time from 1972 to 2262. */
function varint(time: bigint): Buffer {
  return Buffer.from(Array.from({ length: 9 }, (_, i) => Number((time >> BigInt(7 * i)) & 0x7fn) | (i < 8 ? 0x80 : 0)))
}
