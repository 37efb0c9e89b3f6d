// Prints samples as lines of text for tests: stack, attributes, then value and time of each observation, relative to START.
//
//   org/acme/Fib.fib:12 {thread.name=main} 20000000@500 20000000@20500
import type { AnyValue } from '../../../model/columns/any-value.ts'
import type { AttributeIndex } from '../../../model/columns/brand.ts'
import type { Dictionary } from '../../../model/columns/dictionary.ts'
import type { Profiles } from '../../../model/columns/profiles.ts'
import { foldedStack, profileOfType } from './folded-lines.ts'

export const START = 1_700_000_000_000_000_000n

/** `keys` are the attributes to show; default all. */
export function showSamples(payload: Profiles, type: string, keys?: readonly string[]): string[] {
  const { dictionary, samples, profiles } = payload
  const p = profileOfType(payload, type)
  const lines: string[] = []
  for (let s = profiles.samplesFrom(p); s < profiles.samplesTo(p); s++) {
    const values = samples.values.signed().subarray(samples.valuesFrom(s), samples.valuesTo(s))
    const times = samples.timestamps.unsigned().subarray(samples.timestampsFrom(s), samples.timestampsTo(s))
    const observations = Array.from(times, (time, i) => `${values[i] ?? ''}@${BigInt.asIntN(64, time - START)}`)
    const attributes = showAttributes(dictionary, samples.attributesOf(s), keys)
    lines.push(`${foldedStack(payload, samples.stack(s))} {${attributes}} ${observations.join(' ')}`)
  }
  return lines
}

/** Sorted by key. */
export function showAttributes(
  { attributes, strings }: Dictionary,
  rows: readonly AttributeIndex[],
  keys?: readonly string[],
): string {
  return rows
    .map(row => [strings.text(attributes.key(row)), plain(attributes.value(row))] as const)
    .filter(([key]) => keys === undefined || keys.includes(key))
    .map(([key, value]) => `${key}=${value}`)
    .sort()
    .join(' ')
}

/** `type unit period-type period-unit period` of each profile. */
export function showProfiles({ profiles, dictionary }: Profiles): string[] {
  const { strings } = dictionary
  return Array.from({ length: profiles.length }, (_, p) =>
    [profiles.type(p), profiles.unit(p), profiles.periodType(p), profiles.periodUnit(p)]
      .map(string => strings.text(string))
      .concat(String(profiles.period(p)))
      .join(' '),
  )
}

/** Recordings have no other kinds of values. */
function plain(value: AnyValue): string {
  if (typeof value === 'string' || typeof value === 'bigint' || typeof value === 'boolean') return String(value)
  throw new Error(`unexpected attribute of type ${typeof value}`)
}
