// Checks the rows of the attribute table, and the attribute lists of messages.
import type { AnyValue } from '../columns/any-value.ts'
import type { AttributeIndex, LocationIndex, MappingIndex, StringIndex } from '../columns/brand.ts'
import { NONE } from '../columns/brand.ts'
import type { Dictionary, Pool } from '../columns/dictionary.ts'
import { ValueKind } from '../columns/dictionary.ts'
import { GrowingBytes } from '../columns/growing-columns.ts'
import { BytesInterner } from '../build/intern.ts'
import type { Profiles } from '../columns/profiles.ts'
import { WireError } from '../../wire/wire-error.ts'
import { isUcum } from '../text/ucum.ts'
import { parseUnit } from '../text/units.ts'
import { checkConvention, checkNestedKeys } from './attribute-values.ts'
import { profilePath, samplePath } from './paths.ts'
import type { ProblemList } from './problems.ts'
import { quote } from './quote.ts'
import { isUnset } from './unset-string.ts'

export function checkAttributes(profiles: Profiles, problems: ProblemList, skipDictionary = false): void {
  const { attributes, mappings, locations } = profiles.dictionary
  const lists = new ReferrerCheck(profiles, problems)
  if (!skipDictionary) {
    for (let i = 1; i < attributes.length; i++) {
      const row = i as AttributeIndex
      if (problems.strict || isSpecial(profiles.dictionary, row)) checkRow(profiles.dictionary, row, problems)
    }
    if (mappings.attributes.length + locations.attributes.length > 0) lists.dictionary()
  }
  lists.profiles()
}

/** Whether a MUST rule can be broken. Most rows have a key and a plain value. */
function isSpecial({ attributes, strings }: Dictionary, i: AttributeIndex): boolean {
  const kind = attributes.kind(i)
  return kind === ValueKind.array || kind === ValueKind.keyValues || isUnset(strings, attributes.key(i))
}

function checkRow(dictionary: Dictionary, i: AttributeIndex, problems: ProblemList): void {
  const { attributes, strings } = dictionary
  const path = (): string => `dictionary.attribute_table[${i}]`
  const key = attributes.key(i)
  if (isUnset(strings, key)) {
    problems.add('attribute-key-empty', () => [`${path()}.key_strindex`, 'the attribute has an empty key'])
  }
  const kind = attributes.kind(i)
  const nested = kind === ValueKind.array || kind === ValueKind.keyValues
  // Strings are decoded only if a convention defines them. Decoding all would take longer than everything else.
  let value: AnyValue
  try {
    if (nested) checkNestedKeys((value = attributes.value(i)), `${path()}.value`, problems)
    if (problems.strict)
      checkConvention(strings.text(key), () => (nested ? value : attributes.value(i)), path, problems)
  } catch (error) {
    if (!(error instanceof WireError)) throw error
    problems.add('value-malformed', () => [`${path()}.value`, `cannot decode the value: ${error.message}`])
  }
  const unit = attributes.unit(i)
  if (problems.strict && !isUnset(strings, unit)) checkUnit(strings.text(unit), kind, value, path, problems)
}

function checkUnit(unit: string, kind: ValueKind, value: AnyValue, path: () => string, problems: ProblemList): void {
  const isNumber =
    kind === ValueKind.int ||
    kind === ValueKind.double ||
    (Array.isArray(value) && value.every(item => typeof item === 'bigint' || typeof item === 'number'))
  if (!isNumber) {
    problems.add('attribute-unit-number', () => [
      `${path()}.unit_strindex`,
      `the unit ${quote(unit)} belongs to a value that is not a number`,
    ])
  }
  const problem = ucumProblem(unit)
  if (problem === undefined) return
  problems.add('attribute-unit-ucum', () => [`${path()}.unit_strindex`, `the unit ${quote(unit)} ${problem}`])
}

/** `MB` is valid UCUM too, but means megabel there. */
function ucumProblem(unit: string): string | undefined {
  const { kind, ucum } = parseUnit(unit)
  const isOther = kind === 'bytes' && ucum !== unit && !unit.includes('{')
  if (isUcum(unit) && !isOther) return undefined
  return kind === 'unknown' || ucum === unit ? 'is not a UCUM unit' : `must be spelled ${quote(ucum)} in UCUM`
}

/** Checks attribute lists: every key is set and occurs once. */
class ReferrerCheck {
  readonly #profiles: Profiles
  readonly #problems: ProblemList
  /**
   * The number of each attribute's key. Equal keys have equal numbers, even from different rows of the string table.
   */
  readonly #keys: Int32Array
  /** The last list that contained each key. */
  readonly #seenIn: Int32Array
  #list = 0

  constructor(profiles: Profiles, problems: ProblemList) {
    this.#profiles = profiles
    this.#problems = problems
    this.#keys = keyNumbers(profiles.dictionary)
    this.#seenIn = new Int32Array(this.#keys.length + 1)
  }

  dictionary(): void {
    const { mappings, locations } = this.#profiles.dictionary
    const ofMapping = (i: number): string => `dictionary.mapping_table[${i}]`
    for (let i = 0; i < mappings.length; i++) {
      const row = i as MappingIndex
      this.#check(mappings.attributes, mappings.attributesFrom(row), mappings.attributesTo(row), ofMapping, i)
    }
    const ofLocation = (i: number): string => `dictionary.location_table[${i}]`
    for (let i = 0; i < locations.length; i++) {
      const row = i as LocationIndex
      this.#check(locations.attributes, locations.attributesFrom(row), locations.attributesTo(row), ofLocation, i)
    }
  }

  profiles(): void {
    const { profiles, samples } = this.#profiles
    const ofProfile = (p: number): string => profilePath(this.#profiles, p)
    for (let p = 0; p < profiles.length; p++) {
      this.#check(profiles.attributes, profiles.attributesFrom(p), profiles.attributesTo(p), ofProfile, p)
    }
    const ofSample = (s: number): string => samplePath(this.#profiles, s)
    for (let s = 0; s < samples.length; s++) {
      this.#check(samples.attributes, samples.attributesFrom(s), samples.attributesTo(s), ofSample, s)
    }
  }

  // On a hot path, so it uses no closures: one that captures a loop variable allocates an object per iteration.
  #check(pool: Pool<AttributeIndex>, from: number, to: number, path: (row: number) => string, row: number): void {
    const list = ++this.#list
    const keys = this.#keys
    const seenIn = this.#seenIn
    for (let k = from; k < to; k++) {
      const attribute = pool.at(k)
      const key = keys[attribute]
      if (attribute === 0) this.#reportUnset(path, row, k - from)
      else if (seenIn[key] === list) this.#reportDuplicate(pool, from, k, path, row)
      seenIn[key] = list
    }
  }

  #reportUnset(path: (row: number) => string, row: number, place: number): void {
    this.#problems.add('attribute-key-empty', () => [
      `${path(row)}.attribute_indices[${place}]`,
      'it refers to attribute 0, which means "not set"',
    ])
  }

  #reportDuplicate(
    pool: Pool<AttributeIndex>,
    from: number,
    k: number,
    path: (row: number) => string,
    row: number,
  ): void {
    this.#problems.add('attribute-keys-unique', () => {
      const { attributes, strings } = this.#profiles.dictionary
      const text = strings.text(attributes.key(pool.at(k)))
      let first = from
      while (this.#keys[pool.at(first)] !== this.#keys[pool.at(k)]) first++
      return [
        `${path(row)}.attribute_indices[${k - from}]`,
        `the key ${quote(text)} is already used at [${first - from}]`,
      ]
    })
  }
}

function keyNumbers({ attributes, strings }: Dictionary): Int32Array {
  const interner = new BytesInterner(new GrowingBytes())
  const ofString = new Int32Array(strings.length).fill(NONE)
  const numbers = new Int32Array(attributes.length)
  for (let i = 0; i < attributes.length; i++) {
    const key: StringIndex = attributes.key(i as AttributeIndex)
    if (ofString[key] === NONE) {
      const offset = strings.offset(key)
      ofString[key] = interner.intern(strings.bytes, offset, offset + strings.byteLength(key))
    }
    numbers[i] = ofString[key]
  }
  return numbers
}
