// Finds indexes that point beyond their table. Every decoded payload is checked here first, so the good case consists
// of plain loops over columns without allocations. A second walk, needed only for bad payloads, determines the paths.
// Indexes are compared as unsigned, so a negative one is too large as well.
import type { Pool, Table } from '../columns/dictionary.ts'
import {
  ATTRIBUTE_STRIDE,
  FUNCTION_STRIDE,
  LINE_STRIDE,
  LOCATION_STRIDE,
  MAPPING_STRIDE,
  STACK_STRIDE,
} from '../columns/dictionary.ts'
import type { Profiles } from '../columns/profiles.ts'
import { PROFILE_STRIDE, ProfileColumn, SAMPLE_STRIDE } from '../columns/profiles.ts'
import type { PathStep } from './paths.ts'
import { pathOf, profileSteps, sampleSteps } from './paths.ts'

export type TableName =
  | 'mapping_table'
  | 'location_table'
  | 'function_table'
  | 'link_table'
  | 'string_table'
  | 'attribute_table'
  | 'stack_table'

export interface BadReference {
  /** For example `dictionary.location_table[5].lines[0].function_index`. */
  readonly path: string
  /** The path from the root of ProfilesData, for finding the byte offset. Positions in packed lists are steps too. */
  readonly steps: readonly PathStep[]
  readonly index: number
  readonly table: TableName
  /** The number of rows of the table. */
  readonly length: number
}

/** The first index out of range. The order is dictionary tables by field number, then profiles, each row by row. */
export function findBadReference(profiles: Profiles): BadReference | undefined {
  return hasBadReference(profiles) ? findAllBadReferences(profiles, 1)[0] : undefined
}

/** Up to `limit` indexes out of range, in the same order. */
export function findAllBadReferences(profiles: Profiles, limit: number): BadReference[] {
  const found: BadReference[] = []
  eachBadReference(profiles, describe => {
    if (found.length < limit) found.push(describe())
  })
  return found
}

/** Calls `visit` for each bad reference. Describing one is optional, because a hostile payload can have millions. */
export function eachBadReference(profiles: Profiles, visit: (describe: () => BadReference) => void): void {
  const walk = new Walk(profiles, visit)
  walk.mappings()
  walk.locations()
  walk.functions()
  walk.attributes()
  walk.stacks()
  walk.profiles()
}

function hasBadReference(all: Profiles): boolean {
  const { dictionary, profiles, samples } = all
  const { functions, mappings, locations, stacks, attributes } = dictionary
  const strings = dictionary.strings.length
  return (
    isBeyond(functions, FUNCTION_STRIDE, 0, strings) ||
    isBeyond(functions, FUNCTION_STRIDE, 1, strings) ||
    isBeyond(functions, FUNCTION_STRIDE, 2, strings) ||
    isBeyond(mappings, MAPPING_STRIDE, 6, strings) ||
    isBeyond(mappings.attributes, 1, 0, attributes.length) ||
    isBeyond(locations, LOCATION_STRIDE, 0, mappings.length) ||
    isBeyond(locations.lines, LINE_STRIDE, 0, functions.length) ||
    isBeyond(locations.attributes, 1, 0, attributes.length) ||
    isBeyond(stacks.locations, 1, 0, locations.length) ||
    isBeyond(attributes, ATTRIBUTE_STRIDE, 0, strings) ||
    isBeyond(attributes, ATTRIBUTE_STRIDE, 1, strings) ||
    isBeyond(profiles, PROFILE_STRIDE, ProfileColumn.type, strings) ||
    isBeyond(profiles, PROFILE_STRIDE, ProfileColumn.unit, strings) ||
    isBeyond(profiles, PROFILE_STRIDE, ProfileColumn.periodType, strings) ||
    isBeyond(profiles, PROFILE_STRIDE, ProfileColumn.periodUnit, strings) ||
    isBeyond(profiles.attributes, 1, 0, attributes.length) ||
    isBeyond(samples, SAMPLE_STRIDE, 0, stacks.length) ||
    isBeyond(samples, SAMPLE_STRIDE, 1, dictionary.links.length) ||
    isBeyond(samples.attributes, 1, 0, attributes.length)
  )
}

/** Whether a column has an index of at least `length`. */
function isBeyond(table: Table, stride: number, column: number, length: number): boolean {
  const { ints } = table
  const end = table.base + table.length * stride
  for (let at = table.base + column; at < end; at += stride) if (ints[at] >>> 0 >= length) return true
  return false
}

class Walk {
  readonly #all: Profiles
  readonly #visit: (describe: () => BadReference) => void

  constructor(all: Profiles, visit: (describe: () => BadReference) => void) {
    this.#all = all
    this.#visit = visit
  }

  mappings(): void {
    const { mappings, attributes } = this.#all.dictionary
    for (let i = 0; i < mappings.length; i++) {
      const { ints, base } = mappings
      const row = base + i * MAPPING_STRIDE
      const steps = inDictionary('mapping_table', i)
      this.#string(ints[row + 6], steps, 'filename_strindex')
      // Readers create the running ends of lists. Only the content of the lists comes from outside.
      const from = i === 0 ? 0 : ints[row - 1]
      this.#list(mappings.attributes, from, ints[row + 7], attributes.length, steps, 'attribute_indices')
    }
  }

  locations(): void {
    const { locations, mappings, functions, attributes } = this.#all.dictionary
    const { lines } = locations
    const { ints, base } = locations
    for (let i = 0; i < locations.length; i++) {
      const row = base + i * LOCATION_STRIDE
      const steps = inDictionary('location_table', i)
      this.#check(ints[row], mappings.length, 'mapping_table', steps, ['mapping_index', 0])
      const from = i === 0 ? 0 : ints[row - 2]
      for (let k = from; k < ints[row + 3]; k++) {
        const index = lines.ints[lines.base + k * LINE_STRIDE]
        this.#check(index, functions.length, 'function_table', steps, ['lines', k - from], ['function_index', 0])
      }
      const attributesFrom = i === 0 ? 0 : ints[row - 1]
      this.#list(locations.attributes, attributesFrom, ints[row + 4], attributes.length, steps, 'attribute_indices')
    }
  }

  functions(): void {
    const { functions } = this.#all.dictionary
    for (let i = 0; i < functions.length; i++) {
      const row = functions.base + i * FUNCTION_STRIDE
      const steps = inDictionary('function_table', i)
      this.#string(functions.ints[row], steps, 'name_strindex')
      this.#string(functions.ints[row + 1], steps, 'system_name_strindex')
      this.#string(functions.ints[row + 2], steps, 'filename_strindex')
    }
  }

  attributes(): void {
    const { attributes } = this.#all.dictionary
    for (let i = 0; i < attributes.length; i++) {
      const row = attributes.base + i * ATTRIBUTE_STRIDE
      const steps = inDictionary('attribute_table', i)
      this.#string(attributes.ints[row], steps, 'key_strindex')
      this.#string(attributes.ints[row + 1], steps, 'unit_strindex')
    }
  }

  stacks(): void {
    const { stacks, locations } = this.#all.dictionary
    for (let i = 0; i < stacks.length; i++) {
      const row = stacks.base + i * STACK_STRIDE
      const from = i === 0 ? 0 : stacks.ints[row - 1]
      const steps = inDictionary('stack_table', i)
      this.#list(stacks.locations, from, stacks.ints[row], locations.length, steps, 'location_indices')
    }
  }

  profiles(): void {
    const { profiles, dictionary } = this.#all
    for (let p = 0; p < profiles.length; p++) {
      const steps = (): PathStep[] => profileSteps(this.#all, p)
      this.#string(profiles.type(p), steps, 'sample_type', 'type_strindex')
      this.#string(profiles.unit(p), steps, 'sample_type', 'unit_strindex')
      this.#samples(profiles.samplesFrom(p), profiles.samplesTo(p))
      this.#string(profiles.periodType(p), steps, 'period_type', 'type_strindex')
      this.#string(profiles.periodUnit(p), steps, 'period_type', 'unit_strindex')
      const { attributes } = dictionary
      const from = profiles.attributesFrom(p)
      this.#list(profiles.attributes, from, profiles.attributesTo(p), attributes.length, steps, 'attribute_indices')
    }
  }

  #samples(from: number, to: number): void {
    const { samples, dictionary } = this.#all
    const { stacks, links, attributes } = dictionary
    for (let s = from; s < to; s++) {
      const steps = (): PathStep[] => sampleSteps(this.#all, s)
      this.#check(samples.stack(s), stacks.length, 'stack_table', steps, ['stack_index', 0])
      const attributesFrom = samples.attributesFrom(s)
      this.#list(
        samples.attributes,
        attributesFrom,
        samples.attributesTo(s),
        attributes.length,
        steps,
        'attribute_indices',
      )
      this.#check(samples.link(s), links.length, 'link_table', steps, ['link_index', 0])
    }
  }

  #string(index: number, steps: () => PathStep[], ...fields: string[]): void {
    const { length } = this.#all.dictionary.strings
    if (index >>> 0 < length) return
    this.#check(index, length, 'string_table', steps, ...fields.map((field): PathStep => [field, 0]))
  }

  /** Checks a list of attributes, or of locations in stacks. */
  #list(
    pool: Pool<number>,
    from: number,
    to: number,
    length: number,
    steps: () => PathStep[],
    field: 'attribute_indices' | 'location_indices',
  ): void {
    const table = field === 'attribute_indices' ? 'attribute_table' : 'location_table'
    for (let k = from; k < to; k++) {
      const index = pool.ints[pool.base + k]
      if (index >>> 0 >= length) this.#check(index, length, table, steps, [field, k - from])
    }
  }

  #check(index: number, length: number, table: TableName, steps: () => PathStep[], ...last: PathStep[]): void {
    if (index >>> 0 < length) return
    this.#visit(() => {
      const all = [...steps(), ...last]
      return { path: pathOf(all), steps: all, index, table, length }
    })
  }
}

function inDictionary(table: TableName, row: number): () => PathStep[] {
  return () => [
    ['dictionary', 0],
    [table, row],
  ]
}
