// Converts a payload to sample objects that tests can state and compare.
import type { AnyValue } from '../../../model/columns/any-value.ts'
import type { AttributeIndex, LocationIndex } from '../../../model/columns/brand.ts'
import type { Dictionary } from '../../../model/columns/dictionary.ts'
import type { Profiles } from '../../../model/columns/profiles.ts'

interface TestFrame {
  readonly address: string
  readonly file: string
  /** Innermost first: `name`, or `name file:line`. */
  readonly lines: readonly string[]
  readonly attributes: Readonly<Record<string, AnyValue>>
}

export interface TestSample {
  readonly type: string
  readonly attributes: Readonly<Record<string, AnyValue>>
  readonly values: readonly bigint[]
  readonly times: readonly bigint[]
  readonly frames: readonly TestFrame[]
}

export function testSamples(payload: Profiles): TestSample[] {
  const { dictionary, profiles, samples } = payload
  const { stacks, strings } = dictionary
  return Array.from({ length: profiles.length }, (_, p) => p).flatMap(p =>
    Array.from({ length: profiles.samplesTo(p) - profiles.samplesFrom(p) }, (_, i) => {
      const s = profiles.samplesFrom(p) + i
      const stack = samples.stack(s)
      return {
        type: strings.text(profiles.type(p)),
        attributes: attributes(dictionary, samples.attributesOf(s)),
        values: Array.from(samples.values.signed().subarray(samples.valuesFrom(s), samples.valuesTo(s))),
        times: Array.from(samples.timestamps.unsigned().subarray(samples.timestampsFrom(s), samples.timestampsTo(s))),
        frames: stacks.locations.slice(stacks.from(stack), stacks.to(stack)).map(row => frame(dictionary, row)),
      }
    }),
  )
}

function frame(dictionary: Dictionary, row: LocationIndex): TestFrame {
  const { locations, mappings, functions, strings } = dictionary
  const { lines } = locations
  const count = locations.linesTo(row) - locations.linesFrom(row)
  return {
    address: locations.address(row).toString(16),
    file: strings.text(mappings.filename(locations.mapping(row))),
    lines: Array.from({ length: count }, (_, i) => {
      const k = locations.linesFrom(row) + i
      const source = strings.text(functions.filename(lines.function(k)))
      const name = strings.text(functions.name(lines.function(k)))
      return source === '' ? name : `${name} ${source}:${lines.line(k)}`
    }),
    attributes: attributes(dictionary, locations.attributesOf(row)),
  }
}

export function attributes(dictionary: Dictionary, rows: readonly AttributeIndex[]): Record<string, AnyValue> {
  const { attributes: table, strings } = dictionary
  return Object.fromEntries(rows.map(row => [strings.text(table.key(row)), table.value(row)]))
}
