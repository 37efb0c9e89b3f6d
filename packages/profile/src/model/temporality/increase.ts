// The increase between two readings of counters that only grow while a program runs, such as Go's allocations.
//
//   stack    previous   current   increase
//   a        10         14        4
//   b        3          3         (no sample)
//   c        8          2         2: the program was restarted
import { ProfilesBuilder } from '../build/builder.ts'
import { DictionaryTransfer } from '../build/dictionary-transfer.ts'
import type { AttributeIndex, LinkIndex, StackIndex } from '../columns/brand.ts'
import type { Profiles } from '../columns/profiles.ts'
import { canonicalUnit } from '../text/units.ts'

interface Counter {
  readonly stack: StackIndex
  readonly link: LinkIndex
  readonly attributes: readonly AttributeIndex[]
  readonly total: bigint
}

/**
 * Returns the profiles of `current` with the increase of each stack since `previous`. Profiles of the same type and unit are
 * compared, and their times and periods are those of `current`. Samples lose their timestamps.
 */
export function increaseSince(previous: Profiles, current: Profiles): Profiles {
  const builder = new ProfilesBuilder()
  const before = new Map<string, Map<string, Counter>>()
  const old = new DictionaryTransfer(previous.dictionary, builder.dictionary)
  for (let p = 0; p < previous.profiles.length; p++) {
    const type = typeOf(previous, p)
    before.set(type, addCounters(previous, old, p, before.get(type) ?? new Map<string, Counter>()))
  }
  const transfer = new DictionaryTransfer(current.dictionary, builder.dictionary)
  const { resources, scopes } = current
  for (let r = 0; r < resources.length; r++) {
    builder.resource(resources.resource(r), resources.schemaUrl(r))
    for (let s = resources.from(r); s < resources.to(r); s++) {
      builder.scope(scopes.scope(s), scopes.schemaUrl(s))
      for (let p = scopes.from(s); p < scopes.to(s); p++) {
        addHeader(builder, current, transfer, p)
        const known = before.get(typeOf(current, p))
        for (const [key, { total, ...content }] of addCounters(current, transfer, p, new Map<string, Counter>())) {
          const last = known?.get(key)?.total ?? 0n
          const grown = total >= last ? total - last : total
          if (grown !== 0n) builder.sample({ ...content, values: [grown] })
        }
      }
    }
  }
  return builder.build()
}

function typeOf({ profiles, dictionary: { strings } }: Profiles, row: number): string {
  return `${strings.text(profiles.type(row))} ${canonicalUnit(strings.text(profiles.unit(row)))}`
}

function addHeader(builder: ProfilesBuilder, source: Profiles, transfer: DictionaryTransfer, row: number): void {
  const { profiles, dictionary } = source
  const { strings } = dictionary
  builder.profile({
    type: strings.text(profiles.type(row)),
    unit: strings.text(profiles.unit(row)),
    periodType: strings.text(profiles.periodType(row)),
    periodUnit: strings.text(profiles.periodUnit(row)),
    period: profiles.period(row),
    timeUnixNano: profiles.time(row),
    durationNano: profiles.duration(row),
    attributes: profiles.attributesOf(row).map(attribute => transfer.attribute(attribute)),
  })
}

/** Adds up the samples of a profile by stack, link and attributes. */
function addCounters(
  { profiles, samples }: Profiles,
  transfer: DictionaryTransfer,
  row: number,
  counters: Map<string, Counter>,
): Map<string, Counter> {
  for (let s = profiles.samplesFrom(row); s < profiles.samplesTo(row); s++) {
    const stack = transfer.stack(samples.stack(s))
    const link = transfer.link(samples.link(s))
    const attributes = samples.attributesOf(s).map(attribute => transfer.attribute(attribute))
    const key = `${stack} ${link} ${attributes.toSorted((a, b) => a - b).join(' ')}`
    const total = (counters.get(key)?.total ?? 0n) + samples.total(s)
    counters.set(key, { stack, link, attributes, total })
  }
  return counters
}
