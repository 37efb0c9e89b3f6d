// Converts profiles to a list of observations that tests can state and compare.
import type { AnyValue } from '../../../model/columns/any-value.ts'
import { NONE } from '../../../model/columns/brand.ts'
import type { AttributeIndex, LocationIndex } from '../../../model/columns/brand.ts'
import type { Dictionary } from '../../../model/columns/dictionary.ts'
import { ATTRIBUTES } from '../../../model/attributes/semantic-conventions.ts'
import type { Profiles } from '../../../model/columns/profiles.ts'

export interface PerfObservation {
  readonly type: string
  /** Sorted by time, if there is one. */
  readonly time: bigint | undefined
  readonly value: bigint
  readonly pid: number
  readonly tid: number
  readonly thread: string
  readonly cpu: number
  /** Leaf first: address, mapped file and frame type. */
  readonly addresses: readonly bigint[]
  readonly files: readonly string[]
  readonly kinds: readonly string[]
}

export function observationsOf(payload: Profiles): PerfObservation[] {
  const { profiles } = payload
  const all: PerfObservation[] = []
  for (let p = 0; p < profiles.length; p++) {
    for (let s = profiles.samplesFrom(p); s < profiles.samplesTo(p); s++) addSample(payload, p, s, all)
  }
  return all.sort((a, b) => Number((a.time ?? 0n) - (b.time ?? 0n)))
}

function addSample(payload: Profiles, p: number, s: number, all: PerfObservation[]): void {
  const { dictionary, profiles, samples } = payload
  const { stacks, strings } = dictionary
  const attributes = attributesOf(dictionary, samples.attributesOf(s))
  const stack = samples.stack(s)
  const frames = stacks.locations.slice(stacks.from(stack), stacks.to(stack))
  const whole = (key: string): number => Number(attributes.get(key) ?? NONE)
  const timed = samples.timestampsTo(s) > samples.timestampsFrom(s)
  const valued = samples.valuesTo(s) > samples.valuesFrom(s)
  for (let k = 0; k < samples.observations(s); k++) {
    all.push({
      type: strings.text(profiles.type(p)),
      time: timed ? samples.timestamps.unsigned()[samples.timestampsFrom(s) + k] : undefined,
      value: valued ? samples.values.signed()[samples.valuesFrom(s) + k] : 1n,
      pid: whole(ATTRIBUTES.processPid),
      tid: whole(ATTRIBUTES.threadId),
      thread: attributes.get(ATTRIBUTES.threadName) ?? '',
      cpu: whole(ATTRIBUTES.cpuLogicalNumber),
      addresses: frames.map(row => dictionary.locations.address(row)),
      files: frames.map(row => strings.text(dictionary.mappings.filename(dictionary.locations.mapping(row)))),
      kinds: frames.map(row => frameKind(dictionary, row)),
    })
  }
}

function frameKind(dictionary: Dictionary, row: LocationIndex): string {
  return attributesOf(dictionary, dictionary.locations.attributesOf(row)).get(ATTRIBUTES.frameType) ?? ''
}

export function attributesOf(
  { attributes, strings }: Dictionary,
  rows: readonly AttributeIndex[],
): Map<string, string> {
  return new Map(rows.map(row => [strings.text(attributes.key(row)), plain(attributes.value(row))]))
}

function plain(value: AnyValue): string {
  return typeof value === 'string' ? value : typeof value === 'bigint' ? `${value}` : JSON.stringify(value)
}
