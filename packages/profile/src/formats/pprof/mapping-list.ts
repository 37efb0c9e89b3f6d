// The order of a file's mappings. pprof's tools treat the first one as the main program and also list mappings that no sample
// uses. A dictionary stores neither order nor unused mappings. If a file's list differs from the one that the writer would
// create, it is stored in an attribute.
import type { AnyValue, KeyValueList } from '../../model/columns/any-value.ts'
import { isKeyValueList } from '../../model/columns/any-value.ts'
import type { LocationIndex, MappingIndex } from '../../model/columns/brand.ts'
import type { Dictionary } from '../../model/columns/dictionary.ts'
import { uint64 } from '../../model/columns/int64.ts'
import { ATTRIBUTES } from '../../model/attributes/semantic-conventions.ts'
import type { PprofColumns } from './columns.ts'
import { MAPPING_ROW } from './columns.ts'
import { countsUp } from './id-rows.ts'
import type { FirstUses } from './location-ids.ts'
import { MAPPING_FLAGS } from '../former-drafts/field-attributes.ts'

/** The fields of a pprof mapping. */
interface MappingDescription {
  /** 0 lets the writer choose. */
  readonly id: bigint
  readonly memoryStart: bigint
  readonly memoryLimit: bigint
  readonly fileOffset: bigint
  readonly filename: string
  readonly buildId: string
  readonly flags: number
}

export interface OrderedMapping {
  /** Row of the dictionary, or 0 for a mapping that only the list has. */
  readonly row: number
  readonly description: MappingDescription
  /** The number of build ids of the row beyond the first, which pprof cannot hold. */
  readonly extraBuildIds: number
  readonly otherAttributes: number
}

/** The attributes that hold a build id, best first. */
const BUILD_IDS: readonly string[] = [
  ATTRIBUTES.buildIdGnu,
  ATTRIBUTES.buildIdGo,
  ATTRIBUTES.buildIdHtlhash,
  ATTRIBUTES.buildIdProfiling,
]

/**
 * Returns the list to store in an attribute, or undefined if all mappings are used and are listed and numbered in order of
 * first use.
 */
export function mappingList(
  columns: PprofColumns,
  uses: FirstUses,
  text: (string: number) => string,
): KeyValueList[] | undefined {
  const { mappings, mappingIds, draft } = columns
  const count = mappingIds.length
  const locations = draft.locations.array
  let inOrder = countsUp(mappingIds.array, count)
  let used = 0
  for (let i = 0; i < uses.length && inOrder; i++) {
    const mapping = locations[5 * (uses.rows === undefined ? i + 1 : uses.rows[i])]
    if (mapping <= used) continue
    inOrder = mapping === ++used
  }
  if (inOrder && used === count) return undefined
  return Array.from({ length: count }, (_, i) => {
    const row = mappings.array.subarray(i * MAPPING_ROW, (i + 1) * MAPPING_ROW)
    return {
      entries: [
        { key: 'id', value: BigInt.asIntN(64, columns.wholeId(mappingIds.array[i])) },
        { key: 'memory_start', value: BigInt.asIntN(64, uint64(row[0], row[1])) },
        { key: 'memory_limit', value: BigInt.asIntN(64, uint64(row[2], row[3])) },
        { key: 'file_offset', value: BigInt.asIntN(64, uint64(row[4], row[5])) },
        { key: 'filename', value: text(row[6]) },
        { key: 'build_id', value: text(row[7]) },
        { key: 'flags', value: BigInt(row[8]) },
      ],
    }
  })
}

/** Returns all mappings to write: the listed ones, then those that only locations use, by first use. */
export function orderMappings(
  dictionary: Dictionary,
  locationOrder: readonly number[],
  listed: AnyValue,
): OrderedMapping[] {
  const used = new Map<string, OrderedMapping[]>()
  for (const row of new Set(locationOrder.map(location => dictionary.locations.mapping(location as LocationIndex)))) {
    if (row === 0) continue
    const mapping = describeRow(dictionary, row)
    const key = keyOf(mapping.description)
    used.set(key, [...(used.get(key) ?? []), mapping])
  }
  const ordered: OrderedMapping[] = []
  for (const entry of Array.isArray(listed) ? listed : []) {
    const description = describeEntry(entry as AnyValue)
    if (description === undefined) continue
    const row = used.get(keyOf(description))?.shift()
    ordered.push({ row: 0, extraBuildIds: 0, otherAttributes: 0, ...row, description })
  }
  return numbered([...ordered, ...[...used.values()].flat()])
}

/** Uses the listed ids if all are given and different, otherwise counts from 1. */
function numbered(mappings: readonly OrderedMapping[]): OrderedMapping[] {
  const ids = mappings.map(({ description }) => description.id)
  if (ids.every(id => id !== 0n) && new Set(ids).size === ids.length) return [...mappings]
  return mappings.map((mapping, i) => ({ ...mapping, description: { ...mapping.description, id: BigInt(i + 1) } }))
}

function describeRow({ mappings, attributes, strings }: Dictionary, row: MappingIndex): OrderedMapping {
  const buildIds: string[] = []
  let flags = 0
  let otherAttributes = 0
  for (const attribute of mappings.attributesOf(row)) {
    const key = strings.text(attributes.key(attribute))
    const value = attributes.value(attribute)
    const flag = MAPPING_FLAGS.findIndex(name => name === key)
    const rank = BUILD_IDS.indexOf(key)
    if (flag >= 0) flags |= value === true ? 1 << flag : 0
    else if (rank >= 0 && typeof value === 'string') buildIds[rank] = value
    else otherAttributes++
  }
  const present = buildIds.filter(id => id !== undefined)
  return {
    row,
    description: {
      id: 0n,
      memoryStart: mappings.memoryStart(row),
      memoryLimit: mappings.memoryLimit(row),
      fileOffset: mappings.fileOffset(row),
      filename: strings.text(mappings.filename(row)),
      buildId: present[0] ?? '',
      flags,
    },
    extraBuildIds: Math.max(0, present.length - 1),
    otherAttributes,
  }
}

function describeEntry(entry: AnyValue): MappingDescription | undefined {
  if (entry === undefined || !isKeyValueList(entry)) return undefined
  const fields = new Map(entry.entries.map(({ key, value }) => [key, value]))
  const number = (key: string): bigint => {
    const value = fields.get(key)
    return typeof value === 'bigint' ? BigInt.asUintN(64, value) : 0n
  }
  const text = (key: string): string => {
    const value = fields.get(key)
    return typeof value === 'string' ? value : ''
  }
  return {
    id: number('id'),
    memoryStart: number('memory_start'),
    memoryLimit: number('memory_limit'),
    fileOffset: number('file_offset'),
    filename: text('filename'),
    buildId: text('build_id'),
    flags: Number(number('flags') & 15n),
  }
}

function keyOf({ memoryStart, memoryLimit, fileOffset, filename, buildId, flags }: MappingDescription): string {
  return [memoryStart, memoryLimit, fileOffset, flags, buildId, filename].join(' ')
}
