// For tests of old generations: writes objects of a generation, reads them, and summarizes the result.
import { expect } from 'vitest'
import type { AnyValue } from '../../../model/columns/any-value.ts'
import type { AttributeIndex, StackIndex } from '../../../model/columns/brand.ts'
import type { Profiles } from '../../../model/columns/profiles.ts'
import { findBadReference } from '../../../model/validate/references.ts'
import type { Note } from '../../format.ts'
import { NoteList } from '../../format.ts'
import type { LegacyGeneration } from '../legacy/read.ts'
import { readLegacy } from '../legacy/read.ts'
import type { PlainMessage } from './encode-message.ts'
import { encodeMessage } from './encode-message.ts'

export interface Read {
  readonly profiles: Profiles
  readonly notes: readonly Note[]
}

export function read(generation: LegacyGeneration, content: PlainMessage): Read {
  const bytes = encodeMessage(generation, content)
  const notes = new NoteList()
  const profiles = readLegacy(bytes, 0, bytes.length, generation, notes)
  expect(findBadReference(profiles)).toBeUndefined()
  return { profiles, notes: notes.list() }
}

/** Reads one profile of v1.7 with a dictionary. */
export function readProfile(profile: PlainMessage, dictionary: PlainMessage = {}): Read {
  const strings = ['', 'samples', 'count', 'cpu', 'nanoseconds']
  return read('v1.7', {
    resource_profiles: [{ scope_profiles: [{ profiles: [profile] }] }],
    dictionary: { string_table: strings, ...dictionary },
  })
}

export const SAMPLES = { type_strindex: 1, unit_strindex: 2 }
export const CPU = { type_strindex: 3, unit_strindex: 4 }

export interface ReadSample {
  readonly values: bigint[]
  readonly times: bigint[]
}

/** Per profile: type/unit and the values and timestamps of each sample. */
export function shapes({ profiles: { profiles, samples, dictionary } }: Read): Record<string, ReadSample[]>[] {
  return Array.from({ length: profiles.length }, (_, i) => {
    const name = `${dictionary.strings.text(profiles.type(i))}/${dictionary.strings.text(profiles.unit(i))}`
    const rows: ReadSample[] = []
    for (let s = profiles.samplesFrom(i); s < profiles.samplesTo(i); s++) {
      rows.push({
        values: Array.from(samples.values.signed().subarray(samples.valuesFrom(s), samples.valuesTo(s))),
        times: Array.from(samples.timestamps.unsigned().subarray(samples.timestampsFrom(s), samples.timestampsTo(s))),
      })
    }
    return { [name]: rows }
  })
}

export function attributes(
  { profiles: { dictionary } }: Read,
  rows: readonly AttributeIndex[],
): Record<string, AnyValue> {
  const { attributes: table, strings } = dictionary
  return Object.fromEntries(
    rows.map(row => {
      const unit = strings.text(table.unit(row))
      return [strings.text(table.key(row)) + (unit === '' ? '' : ` (${unit})`), table.value(row)]
    }),
  )
}

export function codes({ notes }: Read): Record<string, number> {
  return Object.fromEntries(notes.map(({ code, count }) => [code, count]))
}

/** Function names of a sample's stack. */
export function frames({ profiles: { dictionary, samples } }: Read, sample: number): string[] {
  const { stacks, locations, functions, strings } = dictionary
  const stack: StackIndex = samples.stack(sample)
  return stacks.locations.slice(stacks.from(stack), stacks.to(stack)).flatMap(location => {
    const names: string[] = []
    for (let k = locations.linesFrom(location); k < locations.linesTo(location); k++) {
      names.push(strings.text(functions.name(locations.lines.function(k))))
    }
    return names
  })
}
