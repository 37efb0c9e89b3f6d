// Rewrites profiles to the smallest dictionary: no duplicates, no orphans, the zero row first, and the most referenced
// rows at the front, where indexes are short on the wire. Runs before every write, so it copies little: bytes,
// resources, scopes, values and timestamps stay in place.
import type { AttributeIndex } from '../columns/brand.ts'
import type { Pool } from '../columns/dictionary.ts'
import { DictionaryBuilder } from '../build/dictionary-builder.ts'
import { DictionaryTransfer } from '../build/dictionary-transfer.ts'
import { DistinctStacks } from './distinct-stacks.ts'
import type { GrowingInts } from '../columns/growing-columns.ts'
import { composed } from './numbering.ts'
import type { Profiles } from '../columns/profiles.ts'
import { PROFILE_STRIDE, ProfileColumn, SAMPLE_STRIDE, SampleTable, hasUnknownFields } from '../columns/profiles.ts'
import { ProfilesDraft } from '../columns/profiles-draft.ts'
import { Renumbering } from './renumber.ts'
import { sortSet } from '../columns/sorted-set.ts'
import { UseCounts } from './use-counts.ts'
import { UsedRows } from './used-rows.ts'

/**
 * Samples keep their content and order. Equal samples are not merged. Profiles with unknown fields are returned unchanged:
 * such a field may be an index into the dictionary, whose rows then must keep their numbers.
 */
export function compact(profiles: Profiles): Profiles {
  if (profiles.compacted || hasUnknownFields(profiles)) return profiles
  const compactor = spare ?? new Compactor()
  spare = undefined
  const compacted = compactor.compact(profiles)
  // Reuse the scratch memory unless it has grown large; after an error it may be half filled. A new Compactor replaces
  // a large one, because V8 discards the compiled code of a class when a garbage collection finds no instances.
  spare = rowsOf(profiles) < KEEP_BELOW ? compactor : new Compactor()
  return compacted
}

/** Rows of all tables together; this many take about 10 MB of scratch memory. */
const KEEP_BELOW = 1 << 17

// For a payload of 5 KB, creating about sixty typed arrays would take most of the time.
let spare: Compactor | undefined

const NOTHING = new ProfilesDraft().freeze(new Uint8Array(0)).dictionary

class Compactor {
  readonly #dictionary = new DictionaryBuilder()
  readonly #transfer = new DictionaryTransfer(NOTHING, this.#dictionary)
  readonly #stacks = new DistinctStacks()
  readonly #draft = new ProfilesDraft()
  readonly #usedRows = new UsedRows()
  /** The references of profiles, samples and stacks, by source row. */
  readonly #uses = {
    strings: new UseCounts(),
    locations: this.#stacks.locationUses,
    stacks: new UseCounts(),
    links: new UseCounts(),
    attributes: new UseCounts(),
  }

  /** An instance that is always alive, unlike the working ones (see `compact`). */
  readonly #ofNothing = new Renumbering(NOTHING, this.#dictionary, this.#transfer, this.#stacks, this.#uses)

  compact(profiles: Profiles): Profiles {
    const source = profiles.dictionary
    this.#dictionary.over(source)
    this.#transfer.from(source)
    const uses = this.#uses
    uses.strings.reset(source.strings.length)
    uses.stacks.reset(source.stacks.length)
    uses.links.reset(source.links.length)
    uses.attributes.reset(source.attributes.length)
    this.#countProfiles(profiles)
    this.#countSamples(profiles)
    this.#stacks.count(source, uses.stacks)
    const locationsDiffer = this.#usedRows.carry(source, uses, this.#transfer)
    this.#stacks.settle(source, this.#transfer, locationsDiffer)

    const renumbering =
      source === NOTHING
        ? this.#ofNothing
        : new Renumbering(source, this.#dictionary, this.#transfer, this.#stacks, uses)
    renumbering.write(this.#draft)
    const attributes = composed(this.#transfer.attributeRows, renumbering.attributes, source.attributes.length)
    this.#writeProfiles(profiles, renumbering, attributes)
    this.#writeSamples(profiles, renumbering, attributes)
    const frozen = this.#draft.freeze(source.bytes, true)
    // Do not keep the payload alive until the next call.
    this.#dictionary.clear()
    this.#transfer.from(NOTHING)
    const { ints, base, length, attributes: lists } = frozen.samples
    const { values, timestamps } = profiles.samples
    // Do not spread `frozen`: V8 would see another object shape and compile everything that uses it again.
    return {
      dictionary: frozen.dictionary,
      resources: profiles.resources,
      scopes: profiles.scopes,
      profiles: frozen.profiles,
      samples: new SampleTable(ints, base, length, lists, values, timestamps),
      unknown: undefined,
      emptyTables: frozen.emptyTables,
      compacted: true,
    }
  }

  #countProfiles({ profiles }: Profiles): void {
    const { strings, attributes } = this.#uses
    for (let i = 0; i < profiles.length; i++) {
      for (let column = 0; column < ProfileColumn.time; column++) strings.counts[profiles.column(i, column)]++
    }
    const { ints, base, length } = profiles.attributes
    attributes.addAll(ints, base, base + length)
  }

  #countSamples({ samples }: Profiles): void {
    const { ints, base, length } = samples
    const stacks = this.#uses.stacks.counts
    const links = this.#uses.links.counts
    for (let i = 0, at = base; i < length; i++, at += SAMPLE_STRIDE) {
      stacks[ints[at]]++
      links[ints[at + 1]]++
    }
    const lists = samples.attributes
    this.#uses.attributes.addAll(lists.ints, lists.base, lists.base + lists.length)
  }

  #writeProfiles({ profiles }: Profiles, { strings }: Renumbering, attributes: Int32Array): void {
    const { ints, base, length } = profiles
    const column = this.#draft.profiles
    const { stringRows } = this.#transfer
    column.pushAll(ints, base, base + length * PROFILE_STRIDE)
    const { array } = column
    for (let i = 0, at = 0; i < length; i++, at += PROFILE_STRIDE) {
      for (let k = at; k < at + ProfileColumn.time; k++) array[k] = strings.numbers[stringRows[array[k]]]
      const list = this.#draft.profileAttributes
      pushSet(list, profiles.attributes, profiles.attributesFrom(i), profiles.attributesTo(i), attributes)
      array[at + ProfileColumn.attributeEnd] = list.length
    }
  }

  #writeSamples({ samples, dictionary }: Profiles, numbering: Renumbering, attributes: Int32Array): void {
    const { ints, base, length } = samples
    const stacks = composed(this.#stacks.numbers, numbering.stacks, dictionary.stacks.length)
    const links = composed(this.#transfer.linkRows, numbering.links, dictionary.links.length)
    const lists = this.#draft.sampleAttributes
    lists.reserve(samples.attributes.length)
    const target = this.#draft.samples.reserve(length * SAMPLE_STRIDE)
    let attributesFrom = 0
    let to = 0
    for (let i = 0, at = base; i < length; i++, at += SAMPLE_STRIDE, to += SAMPLE_STRIDE) {
      const attributesTo = ints[at + 2]
      if (attributesFrom !== attributesTo) pushSet(lists, samples.attributes, attributesFrom, attributesTo, attributes)
      target[to] = stacks[ints[at]]
      target[to + 1] = links[ints[at + 1]]
      target[to + 2] = lists.length
      target[to + 3] = ints[at + 3]
      target[to + 4] = ints[at + 4]
      attributesFrom = attributesTo
    }
    this.#draft.samples.length = to
  }
}

function rowsOf({ dictionary, samples }: Profiles): number {
  const { strings, functions, mappings, locations, stacks, links, attributes } = dictionary
  let rows = samples.length + locations.lines.length
  for (const table of [strings, functions, mappings, locations, stacks, links, attributes]) rows += table.length
  return rows
}

/** Appends part of a list, renumbered, as a sorted set. */
function pushSet(target: GrowingInts, list: Pool<AttributeIndex>, from: number, to: number, numbers: Int32Array): void {
  const { ints, base } = list
  const array = target.reserve(to - from)
  const start = target.length
  for (let k = base + from, at = start; k < base + to; k++) array[at++] = numbers[ints[k]]
  target.length = sortSet(array, start, start + to - from)
}
