// Replaces resources, scopes and headers of profiles. Samples and symbols stay as they are and are not copied, so that the cost
// does not depend on their number.
import { encodeUtf8 } from '../../wire/utf8.ts'
import type { Whole } from '../build/builder.ts'
import { attributeColumns, wholeInInt64, wholeInUint64 } from '../build/builder.ts'
import type { KeyValue, Resource, Scope } from '../columns/any-value.ts'
import { encodeResource, encodeScope } from '../columns/any-value.ts'
import type { AttributeIndex } from '../columns/brand.ts'
import type { Table } from '../columns/dictionary.ts'
import {
  ATTRIBUTE_STRIDE,
  AttributeTable,
  Pool,
  STRING_STRIDE,
  StringTable,
  isByteRange,
} from '../columns/dictionary.ts'
import { GrowingInts } from '../columns/growing-columns.ts'
import { highHalf, lowHalf } from '../columns/int64.ts'
import { bytesWith, overBytes } from '../columns/over-bytes.ts'
import type { Profiles } from '../columns/profiles.ts'
import {
  PROFILE_STRIDE,
  ProfileColumn,
  ProfileTable,
  RESOURCE_STRIDE,
  ResourceTable,
  ScopeTable,
} from '../columns/profiles.ts'

/** Absent fields keep their value. */
export interface ProfileHeaderChange {
  readonly type?: string
  readonly unit?: string
  readonly periodType?: string
  readonly periodUnit?: string
  readonly period?: Whole
  readonly timeUnixNano?: Whole
  readonly durationNano?: Whole
  readonly id?: Uint8Array
  /** Added to the profile's attributes. */
  readonly attributes?: readonly KeyValue[]
}

export interface HeaderChanges {
  readonly resource: (resource: Resource) => Resource
  readonly scope: (scope: Scope) => Scope
  readonly profile: (row: number) => ProfileHeaderChange
}

/** Throws RangeError if the result exceeds 2 GiB, or a number 64 bits. */
export function withHeaders(profiles: Profiles, changes: HeaderChanges): Profiles {
  return new HeaderEdit(profiles).run(changes)
}

class HeaderEdit {
  readonly #profiles: Profiles
  readonly #added: Uint8Array[] = []
  #end: number
  readonly #strings: GrowingInts
  readonly #attributes: GrowingInts
  readonly #stringRows = new Map<string, number>()

  constructor(profiles: Profiles) {
    this.#profiles = profiles
    const { dictionary } = profiles
    this.#end = dictionary.bytes.length
    this.#strings = copyOf(dictionary.strings, STRING_STRIDE)
    this.#attributes = copyOf(dictionary.attributes, ATTRIBUTE_STRIDE)
  }

  run({ resource, scope, profile }: HeaderChanges): Profiles {
    const { resources, scopes, profiles: table } = this.#profiles
    const resourceRows = this.#messages(resources, i => encodeResource(resource(resources.resource(i))))
    const scopeRows = this.#messages(scopes, i => encodeScope(scope(scopes.scope(i))))
    const rows = copyOf(table, PROFILE_STRIDE).array
    const pool = new GrowingInts()
    for (let i = 0; i < table.length; i++) {
      const { ints, base } = table.attributes
      pool.pushAll(ints, base + table.attributesFrom(i), base + table.attributesTo(i))
      this.#header(rows, i * PROFILE_STRIDE, profile(i), pool)
      rows[i * PROFILE_STRIDE + ProfileColumn.attributeEnd] = pool.length
    }
    const bytes = bytesWith(this.#profiles, this.#added)
    const { dictionary, ...rest } = overBytes(this.#profiles, bytes)
    const [strings, attributes] = [this.#strings, this.#attributes]
    return {
      ...rest,
      compacted: false,
      dictionary: {
        ...dictionary,
        strings: new StringTable(strings.array, 0, strings.length / STRING_STRIDE, bytes),
        attributes: new AttributeTable(attributes.array, 0, attributes.length / ATTRIBUTE_STRIDE, bytes),
      },
      resources: new ResourceTable(resourceRows, 0, resources.length, bytes),
      scopes: new ScopeTable(scopeRows, 0, scopes.length, bytes),
      profiles: new ProfileTable(rows, 0, table.length, bytes, new Pool<AttributeIndex>(pool.array, 0, pool.length)),
    }
  }

  /** Resources and scopes have the same columns. */
  #messages(table: Table, encoded: (i: number) => Uint8Array): Int32Array {
    const rows = copyOf(table, RESOURCE_STRIDE).array
    for (let i = 0; i < table.length; i++) {
      const message = encoded(i)
      rows[i * RESOURCE_STRIDE] = this.#append(message)
      rows[i * RESOURCE_STRIDE + 1] = message.length
    }
    return rows
  }

  #header(rows: Int32Array, at: number, change: ProfileHeaderChange, pool: GrowingInts): void {
    const { type, unit, periodType, periodUnit } = change
    for (const [k, text] of [type, unit, periodType, periodUnit].entries())
      if (text !== undefined) rows[at + ProfileColumn.type + k] = this.#string(text)
    const { timeUnixNano: time, durationNano: duration, period, id, attributes = [] } = change
    if (time !== undefined) setLong(rows, at + ProfileColumn.time, wholeInUint64(time, 'timeUnixNano'))
    if (duration !== undefined) setLong(rows, at + ProfileColumn.duration, wholeInUint64(duration, 'durationNano'))
    if (period !== undefined) setLong(rows, at + ProfileColumn.period, wholeInInt64(period, 'period'))
    if (id !== undefined) {
      rows[at + ProfileColumn.idOffset] = this.#append(id)
      rows[at + ProfileColumn.idLength] = id.length
    }
    for (const { key, value } of attributes) {
      const { kind, a, b, bytes } = attributeColumns(key, value)
      pool.push(this.#attributes.length / ATTRIBUTE_STRIDE)
      for (const int of [this.#string(key), 0, kind, isByteRange(kind) ? this.#append(bytes) : a, b])
        this.#attributes.push(int)
    }
  }

  #string(text: string): number {
    if (text === '') return 0
    let row = this.#stringRows.get(text)
    if (row === undefined) {
      const bytes = encodeUtf8(text)
      row = this.#strings.length / STRING_STRIDE
      this.#strings.push(this.#append(bytes))
      this.#strings.push(bytes.length)
      this.#stringRows.set(text, row)
    }
    return row
  }

  #append(bytes: Uint8Array): number {
    const at = this.#end
    this.#added.push(bytes)
    this.#end += bytes.length
    return at
  }
}

function copyOf({ ints, base, length }: Table, stride: number): GrowingInts {
  const column = new GrowingInts(length * stride + 64)
  column.pushAll(ints, base, base + length * stride)
  return column
}

function setLong(rows: Int32Array, at: number, value: bigint): void {
  rows[at] = lowHalf(value)
  rows[at + 1] = highHalf(value)
}
