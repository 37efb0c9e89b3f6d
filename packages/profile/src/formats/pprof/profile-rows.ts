// Creates the rows of profiles and samples. pprof lists samples once, with a value per type; the model has a profile per type.
import { encodeScope } from '../../model/columns/any-value.ts'
import type { KeyValue } from '../../model/columns/any-value.ts'
import { ValueKind } from '../../model/columns/dictionary.ts'
import type { GrowingInts } from '../../model/columns/growing-columns.ts'
import { PROFILE_STRIDE, ProfileColumn, SAMPLE_STRIDE } from '../../model/columns/profiles.ts'
import { ATTRIBUTES } from '../../model/attributes/semantic-conventions.ts'
import type { AttributeRows } from '../attribute-rows.ts'
import type { PprofColumns } from './columns.ts'
import { SAMPLE_ROW } from './columns.ts'
import type { CheckedString } from './label-reader.ts'
import type { FirstUses } from './location-ids.ts'
import { locationIdList } from './location-ids.ts'
import { mappingList } from './mapping-list.ts'

export class ProfileRows {
  readonly #columns: PprofColumns
  readonly #rows: AttributeRows
  readonly #checked: CheckedString
  readonly #attributes: number[] = []

  constructor(columns: PprofColumns, rows: AttributeRows, checked: CheckedString) {
    this.#columns = columns
    this.#rows = rows
    this.#checked = checked
  }

  /** Must run last: all other tables are complete by then. `links` has the link of each sample, if there are any. */
  push(uses: FirstUses, links: Int32Array | undefined): void {
    const { sampleTypes, values, draft } = this.#columns
    const { sampleAttributes } = draft
    const types = sampleTypes.length / 2
    const own = sampleAttributes.length
    const first = this.#firstType(types)
    this.#pushContainers(first, types)
    this.#setAttributes(uses)
    for (let n = 0; n < types; n++) {
      const type = n === 0 ? first : n <= first ? n - 1 : n
      if (n > 0 && own > 0) sampleAttributes.pushAll(sampleAttributes.array, 0, own)
      this.#pushSamples(n * own, links)
      if (types > 1) this.#pushValues(type, types)
      this.#pushProfile(type)
    }
    if (types === 1) swap(values, draft.values)
  }

  /** Returns the default type, which comes first for OTLP viewers: the type that pprof names, otherwise the last. */
  #firstType(types: number): number {
    const { sampleTypes, defaultSampleType } = this.#columns
    for (let i = 0; i < types && defaultSampleType !== 0; i++) {
      if (sampleTypes.array[2 * i] === defaultSampleType) return i
    }
    return types - 1
  }

  #pushContainers(first: number, types: number): void {
    const { draft, defaultSampleType } = this.#columns
    const named = defaultSampleType === 0 ? '' : this.#rows.stringText(this.#checked(defaultSampleType))
    const scope = scopeOf(defaultSampleType === 0 ? undefined : named, first, types)
    pushFive(draft.resources, 0, 0, 1)
    pushFive(draft.scopes, this.#rows.append(scope), scope.length, types)
  }

  #setAttributes(uses: FirstUses): void {
    const { comments, dropFrames, keepFrames, docUrl } = this.#columns
    const attributes = this.#attributes
    const rows = this.#rows
    attributes.length = 0
    if (dropFrames !== 0) attributes.push(rows.text(ATTRIBUTES.pprofProfileDropFrames, this.#checked(dropFrames)))
    if (keepFrames !== 0) attributes.push(rows.text(ATTRIBUTES.pprofProfileKeepFrames, this.#checked(keepFrames)))
    if (docUrl !== 0) attributes.push(rows.text(ATTRIBUTES.pprofProfileDocUrl, this.#checked(docUrl)))
    if (comments.length > 0) {
      const lines = Array.from(comments.view(), string => rows.stringText(this.#checked(string)))
      attributes.push(rows.nested(rows.name(ATTRIBUTES.pprofProfileComment), lines))
    }
    const ids = locationIdList(this.#columns, uses)
    if (ids !== undefined) {
      const key = rows.name(ATTRIBUTES.pprofLocationIds)
      attributes.push(rows.row(key, 0, ValueKind.bytes, rows.append(ids), ids.length))
    }
    const list = mappingList(this.#columns, uses, string => rows.stringText(string))
    if (list !== undefined) attributes.push(rows.nested(rows.name(ATTRIBUTES.pprofMappings), list))
  }

  #pushProfile(type: number): void {
    const { sampleTypes, periodType, time, duration, period, draft } = this.#columns
    const { profiles, profileAttributes, samples } = draft
    const array = profiles.reserve(PROFILE_STRIDE)
    const row = profiles.length
    for (let at = row; at < row + PROFILE_STRIDE; at++) array[at] = 0
    array[row + ProfileColumn.type] = this.#checked(sampleTypes.array[2 * type])
    array[row + ProfileColumn.unit] = this.#checked(sampleTypes.array[2 * type + 1])
    array[row + ProfileColumn.periodType] = this.#checked(periodType[0])
    array[row + ProfileColumn.periodUnit] = this.#checked(periodType[1])
    for (let half = 0; half < 2; half++) {
      array[row + ProfileColumn.time + half] = time[half]
      array[row + ProfileColumn.duration + half] = duration[half]
      array[row + ProfileColumn.period + half] = period[half]
    }
    for (const attribute of this.#attributes) profileAttributes.push(attribute)
    array[row + ProfileColumn.attributeEnd] = profileAttributes.length
    array[row + ProfileColumn.sampleEnd] = samples.length / SAMPLE_STRIDE
    profiles.length = row + PROFILE_STRIDE
  }

  /** Each sample has one value, so the end of its values equals its number. */
  #pushSamples(attributeBase: number, links: Int32Array | undefined): void {
    const { samples, draft } = this.#columns
    const count = samples.length / SAMPLE_ROW
    const source = samples.array
    const row = draft.samples.reserve(count * SAMPLE_STRIDE)
    let at = draft.samples.length
    let value = at / SAMPLE_STRIDE
    for (let i = 0, from = 0; i < count; i++, from += SAMPLE_ROW) {
      row[at] = source[from]
      row[at + 1] = links === undefined ? 0 : links[i]
      row[at + 2] = attributeBase + source[from + 2]
      row[at + 3] = ++value
      row[at + 4] = 0
      at += SAMPLE_STRIDE
    }
    draft.samples.length = at
  }

  #pushValues(type: number, types: number): void {
    const { samples, values, draft } = this.#columns
    const source = values.array
    const count = samples.length / SAMPLE_ROW
    const numbers = draft.values.reserve(count * 2)
    let at = draft.values.length
    for (let i = 0, from = 2 * type; i < count; i++, from += 2 * types) {
      numbers[at++] = source[from]
      numbers[at++] = source[from + 1]
    }
    draft.values.length = at
  }
}

/** Encoded scopes. Profiles of the same kind share one, and encoding it takes longer than reading a small file. */
const knownScopes = new Map<string, Uint8Array>()
const MAX_SCOPES = 64

function scopeOf(defaultType: string | undefined, first: number, types: number): Uint8Array {
  const key = `${first} ${types} ${defaultType ?? ''}`
  const known = defaultType === '' ? undefined : knownScopes.get(key)
  if (known !== undefined) return known
  const attributes: KeyValue[] = []
  if (defaultType !== undefined) attributes.push({ key: ATTRIBUTES.pprofScopeDefaultSampleType, value: defaultType })
  if (first !== 0) {
    const others = Array.from({ length: types }, (_, i) => BigInt(i)).filter(i => i !== BigInt(first))
    attributes.push({ key: ATTRIBUTES.pprofScopeSampleTypeOrder, value: [BigInt(first), ...others] })
  }
  const scope =
    attributes.length === 0
      ? new Uint8Array(0)
      : encodeScope({ name: '', version: '', attributes, droppedAttributesCount: 0 })
  if (knownScopes.size >= MAX_SCOPES) knownScopes.clear()
  if (defaultType !== '' && scope.length < 1024) knownScopes.set(key, scope)
  return scope
}

/** Pushes a container row: the range of its message, no schema URL, the end of its children. */
function pushFive(column: GrowingInts, offset: number, length: number, children: number): void {
  column.push(offset)
  column.push(length)
  column.push(0)
  column.push(0)
  column.push(children)
}

/** Moves the content of a column without copying. */
function swap(from: GrowingInts, to: GrowingInts): void {
  const { array, length } = from
  from.array = to.array
  from.length = to.length
  to.array = array
  to.length = length
}
