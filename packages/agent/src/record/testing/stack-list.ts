// Profiles as lists for tests: each sample with its function names, link and attributes.
import type { Profiles } from '@hearth/profile'

export interface ListedSample {
  /** Leaf first. */
  readonly names: readonly string[]
  readonly files: readonly string[]
  readonly lines: readonly bigint[]
  /** Hexadecimal. Empty without a link. */
  readonly traceId: string
  readonly spanId: string
  readonly attributes: Readonly<Record<string, unknown>>
  readonly values: readonly bigint[]
  readonly timestamps: readonly bigint[]
}

export function typesOf({ profiles, dictionary }: Profiles): string[] {
  return Array.from(
    { length: profiles.length },
    (_, i) => `${dictionary.strings.text(profiles.type(i))}/${dictionary.strings.text(profiles.unit(i))}`,
  )
}

/** The samples of the profile of that type. Empty if there is none. */
export function samplesOf(all: Profiles, type: string): ListedSample[] {
  const { profiles, dictionary } = all
  const listed: ListedSample[] = []
  for (let i = 0; i < profiles.length; i++) {
    if (dictionary.strings.text(profiles.type(i)) !== type) continue
    for (let row = profiles.samplesFrom(i); row < profiles.samplesTo(i); row++) listed.push(listedSample(all, row))
  }
  return listed
}

/** The samples that have the function in their stack. */
export function under(samples: readonly ListedSample[], name: string): ListedSample[] {
  return samples.filter(({ names }) => names.includes(name))
}

export function total(samples: readonly ListedSample[]): bigint {
  let sum = 0n
  for (const { values } of samples) for (const value of values) sum += value
  return sum
}

function listedSample({ samples, dictionary }: Profiles, row: number): ListedSample {
  const { stacks, locations, functions, strings, links, attributes } = dictionary
  const stack = samples.stack(row)
  const lines = stacks.locations.slice(stacks.from(stack), stacks.to(stack)).map(i => locations.linesFrom(i))
  const rows = lines.map(line => locations.lines.function(line))
  const link = samples.link(row)
  const hex = (bytes: Uint8Array): string => (link === 0 ? '' : Buffer.from(bytes).toString('hex'))
  const values = samples.values.signed().slice(samples.valuesFrom(row), samples.valuesTo(row))
  const timestamps = samples.timestamps.unsigned().slice(samples.timestampsFrom(row), samples.timestampsTo(row))
  return {
    names: rows.map(i => strings.text(functions.name(i))),
    files: rows.map(i => strings.text(functions.filename(i))),
    lines: lines.map(line => locations.lines.line(line)),
    traceId: hex(links.traceId(link)),
    spanId: hex(links.spanId(link)),
    attributes: Object.fromEntries(
      samples.attributesOf(row).map(i => [strings.text(attributes.key(i)), attributes.value(i)]),
    ),
    values: [...values],
    timestamps: [...timestamps],
  }
}
