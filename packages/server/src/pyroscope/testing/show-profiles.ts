// Profiles as plain objects for comparison: the five parts of their type, times, attributes, and sums by stack, root
// first.
import type { AnyValue, Profiles } from '@hearth/profile'

export interface ShownProfile {
  readonly type: string
  readonly period: bigint
  readonly time: bigint
  readonly duration: bigint
  readonly id: string
  readonly resource: Readonly<Record<string, AnyValue>>
  readonly scope: string
  readonly attributes: Readonly<Record<string, AnyValue>>
  readonly stacks: Readonly<Record<string, bigint>>
  readonly timestamps: readonly bigint[]
}

export function showProfiles(all: Profiles): ShownProfile[] {
  const { resources, scopes, profiles } = all
  const shown: ShownProfile[] = []
  for (let r = 0; r < resources.length; r++) {
    const resource = Object.fromEntries(resources.resource(r).attributes.map(({ key, value }) => [key, value]))
    for (let s = resources.from(r); s < resources.to(r); s++)
      for (let p = scopes.from(s); p < scopes.to(s); p++)
        shown.push({ ...showProfile(all, p), resource, scope: scopes.scope(s).name })
  }
  expectAll(shown.length, profiles.length)
  return shown
}

function expectAll(shown: number, there: number): void {
  if (shown !== there) throw new Error(`${there - shown} profiles are in no scope`)
}

function showProfile(all: Profiles, row: number): Omit<ShownProfile, 'resource' | 'scope'> {
  const { profiles, samples, dictionary } = all
  const { strings, attributes: table } = dictionary
  const own = profiles.attributesOf(row).map(i => [strings.text(table.key(i)), table.value(i)] as const)
  const attributes: Record<string, AnyValue> = Object.fromEntries(own)
  const stacks: Record<string, bigint> = {}
  const timestamps: bigint[] = []
  for (let s = profiles.samplesFrom(row); s < profiles.samplesTo(row); s++) {
    const key = stackText(all, s)
    stacks[key] = (stacks[key] ?? 0n) + samples.total(s)
    timestamps.push(...samples.timestamps.unsigned().subarray(samples.timestampsFrom(s), samples.timestampsTo(s)))
  }
  const parts = [profiles.type(row), profiles.unit(row), profiles.periodType(row), profiles.periodUnit(row)]
  return {
    type: [attributes['pyroscope.name'] as string, ...parts.map(part => strings.text(part))].join(':'),
    period: profiles.period(row),
    time: profiles.time(row),
    duration: profiles.duration(row),
    id: Buffer.from(profiles.id(row)).toString('hex'),
    attributes,
    stacks,
    timestamps: timestamps.toSorted((a, b) => (a < b ? -1 : 1)),
  }
}

function stackText({ samples, dictionary }: Profiles, sample: number): string {
  const { stacks, locations, functions, strings } = dictionary
  const stack = samples.stack(sample)
  const names = stacks.locations.slice(stacks.from(stack), stacks.to(stack)).flatMap(location => {
    const lines = []
    for (let k = locations.linesFrom(location); k < locations.linesTo(location); k++)
      lines.push(strings.text(functions.name(locations.lines.function(k))))
    return lines
  })
  return names.toReversed().join(';')
}
