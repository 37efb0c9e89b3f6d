// Rewrites profiles to an untidy dictionary, like some senders do: rows in random order, duplicates, orphans, unsorted
// attribute lists. `compact` must clean this up, and `contentEqual` must ignore it.
import type { AttributeIndex, LocationIndex, MappingIndex, StackIndex } from '../columns/brand.ts'
import type { Pool, Table } from '../columns/dictionary.ts'
import { ATTRIBUTE_STRIDE, FUNCTION_STRIDE, LINE_STRIDE, LINK_STRIDE, STRING_STRIDE } from '../columns/dictionary.ts'
import type { GrowingInts } from '../columns/growing-columns.ts'
import type { Profiles } from '../columns/profiles.ts'
import { PROFILE_STRIDE, ProfileColumn, RESOURCE_STRIDE, SAMPLE_STRIDE } from '../columns/profiles.ts'
import { ProfilesDraft } from '../columns/profiles-draft.ts'

/** A number from 0 up to, but not including, `below`. */
type Random = (below: number) => number

export function scatter(profiles: Profiles, seed: number): Profiles {
  return new Scatter(profiles, randomFrom(seed)).build()
}

function randomFrom(seed: number): Random {
  let state = seed | 0
  return below => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0
    return Math.floor(((state >>> 8) / 0x100_0000) * below)
  }
}

/** The new rows of one table. */
class Places {
  /** The old row of each new row. */
  readonly rows: number[]
  readonly #places: number[][]
  readonly #random: Random

  constructor(length: number, random: Random) {
    this.#random = random
    const entries: { row: number; orphan: boolean }[] = []
    for (let row = 0; row < length; row++) {
      // Row 0 must stay first, but may have duplicates like any other row.
      const copies = (row === 0 ? 0 : 1) + (random(3) === 0 ? 1 : 0)
      for (let i = 0; i < copies; i++) entries.splice(random(entries.length + 1), 0, { row, orphan: false })
      if (random(4) === 0) entries.splice(random(entries.length + 1), 0, { row, orphan: true })
    }
    entries.unshift({ row: 0, orphan: false })
    this.rows = entries.map(({ row }) => row)
    this.#places = Array.from({ length }, () => [])
    for (const [place, { row, orphan }] of entries.entries()) if (!orphan) this.#places[row].push(place)
  }

  /** One of the new rows of an old row. */
  of(row: number): number {
    const places = this.#places[row]
    return places[this.#random(places.length)]
  }
}

class Scatter {
  readonly #profiles: Profiles
  readonly #random: Random
  readonly #draft = new ProfilesDraft()
  readonly #strings: Places
  readonly #functions: Places
  readonly #mappings: Places
  readonly #locations: Places
  readonly #stacks: Places
  readonly #links: Places
  readonly #attributes: Places

  constructor(profiles: Profiles, random: Random) {
    this.#profiles = profiles
    this.#random = random
    const { dictionary } = profiles
    this.#strings = new Places(dictionary.strings.length, random)
    this.#functions = new Places(dictionary.functions.length, random)
    this.#mappings = new Places(dictionary.mappings.length, random)
    this.#locations = new Places(dictionary.locations.length, random)
    this.#stacks = new Places(dictionary.stacks.length, random)
    this.#links = new Places(dictionary.links.length, random)
    this.#attributes = new Places(dictionary.attributes.length, random)
  }

  build(): Profiles {
    const draft = this.#draft
    const { dictionary, resources, scopes } = this.#profiles
    for (const row of this.#strings.rows) pushRow(draft.strings, dictionary.strings, row, STRING_STRIDE)
    for (const row of this.#links.rows) pushRow(draft.links, dictionary.links, row, LINK_STRIDE)
    this.#scatterFunctions()
    this.#scatterAttributes()
    this.#scatterMappings()
    this.#scatterLocations()
    this.#scatterStacks()
    for (let i = 0; i < resources.length; i++) pushRow(draft.resources, resources, i, RESOURCE_STRIDE)
    for (let i = 0; i < scopes.length; i++) pushRow(draft.scopes, scopes, i, RESOURCE_STRIDE)
    this.#scatterProfiles()
    this.#scatterSamples()
    return draft.freeze(dictionary.bytes)
  }

  #scatterFunctions(): void {
    const { functions } = this.#draft
    for (const row of this.#functions.rows) {
      const at = pushRow(functions, this.#profiles.dictionary.functions, row, FUNCTION_STRIDE)
      for (let k = at; k < at + 3; k++) functions.array[k] = this.#strings.of(functions.array[k])
    }
  }

  #scatterAttributes(): void {
    const { attributes } = this.#draft
    for (const row of this.#attributes.rows) {
      const at = pushRow(attributes, this.#profiles.dictionary.attributes, row, ATTRIBUTE_STRIDE)
      for (let k = at; k < at + 2; k++) attributes.array[k] = this.#strings.of(attributes.array[k])
    }
  }

  #scatterMappings(): void {
    const { mappings } = this.#profiles.dictionary
    const { mappings: target, mappingAttributes } = this.#draft
    for (const row of this.#mappings.rows as MappingIndex[]) {
      const at = pushRow(target, mappings, row, 8)
      target.array[at + 6] = this.#strings.of(target.array[at + 6])
      this.#pushAttributes(
        mappingAttributes,
        mappings.attributes,
        mappings.attributesFrom(row),
        mappings.attributesTo(row),
      )
      target.array[at + 7] = mappingAttributes.length
    }
  }

  #scatterLocations(): void {
    const { locations } = this.#profiles.dictionary
    const { locations: target, lines, locationAttributes } = this.#draft
    for (const row of this.#locations.rows as LocationIndex[]) {
      const at = pushRow(target, locations, row, 5)
      target.array[at] = this.#mappings.of(target.array[at])
      for (let k = locations.linesFrom(row); k < locations.linesTo(row); k++) {
        const line = pushRow(lines, locations.lines, k, LINE_STRIDE)
        lines.array[line] = this.#functions.of(lines.array[line])
      }
      this.#pushAttributes(
        locationAttributes,
        locations.attributes,
        locations.attributesFrom(row),
        locations.attributesTo(row),
      )
      target.array[at + 3] = lines.length / LINE_STRIDE
      target.array[at + 4] = locationAttributes.length
    }
  }

  #scatterStacks(): void {
    const { stacks } = this.#profiles.dictionary
    for (const row of this.#stacks.rows as StackIndex[]) {
      for (const location of stacks.locations.slice(stacks.from(row), stacks.to(row))) {
        this.#draft.stackLocations.push(this.#locations.of(location))
      }
      this.#draft.stacks.push(this.#draft.stackLocations.length)
    }
  }

  #scatterProfiles(): void {
    const { profiles } = this.#profiles
    const { profiles: target, profileAttributes } = this.#draft
    for (let i = 0; i < profiles.length; i++) {
      const at = pushRow(target, profiles, i, PROFILE_STRIDE)
      for (let k = at; k < at + ProfileColumn.time; k++) target.array[k] = this.#strings.of(target.array[k])
      this.#pushAttributes(profileAttributes, profiles.attributes, profiles.attributesFrom(i), profiles.attributesTo(i))
      target.array[at + ProfileColumn.attributeEnd] = profileAttributes.length
    }
  }

  #scatterSamples(): void {
    const { samples } = this.#profiles
    const { samples: target, sampleAttributes, values, timestamps } = this.#draft
    for (let i = 0; i < samples.length; i++) {
      const at = pushRow(target, samples, i, SAMPLE_STRIDE)
      target.array[at] = this.#stacks.of(target.array[at])
      target.array[at + 1] = this.#links.of(target.array[at + 1])
      this.#pushAttributes(sampleAttributes, samples.attributes, samples.attributesFrom(i), samples.attributesTo(i))
      target.array[at + 2] = sampleAttributes.length
    }
    values.pushAll(samples.values.ints, samples.values.base, samples.values.base + 2 * samples.values.length)
    const { ints, base, length } = samples.timestamps
    timestamps.pushAll(ints, base, base + 2 * length)
  }

  #pushAttributes(target: GrowingInts, list: Pool<AttributeIndex>, from: number, to: number): void {
    const shuffled: number[] = []
    for (const row of list.slice(from, to))
      shuffled.splice(this.#random(shuffled.length + 1), 0, this.#attributes.of(row))
    for (const place of shuffled) target.push(place)
  }
}

/** Returns the start of the row in the column. */
function pushRow(column: GrowingInts, { ints, base }: Table, row: number, stride: number): number {
  const at = column.length
  column.pushAll(ints, base + row * stride, base + (row + 1) * stride)
  return at
}
