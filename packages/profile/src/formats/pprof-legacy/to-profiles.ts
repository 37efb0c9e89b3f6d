// Converts a legacy profile to the model by the conventions of pprof: a profile for each value type, all over the same stacks,
// with an attribute for the order of the mappings if it matters.
import type { KeyValue, KeyValueList } from '../../model/columns/any-value.ts'
import { NONE } from '../../model/columns/brand.ts'
import type { AttributeIndex, MappingIndex } from '../../model/columns/brand.ts'
import { ProfilesBuilder } from '../../model/build/builder.ts'
import { uint64 } from '../../model/columns/int64.ts'
import type { Profiles } from '../../model/columns/profiles.ts'
import { ATTRIBUTES } from '../../model/attributes/semantic-conventions.ts'
import type { LegacyProfile } from './legacy-profile.ts'
import type { MemoryRange } from './memory-map.ts'
import { RangeIndex } from './memory-map.ts'

/** pprof's label for the block size of a heap sample. */
const BLOCK_SIZE = 'bytes'

export function toProfiles(profile: LegacyProfile): Profiles {
  const builder = new ProfilesBuilder()
  const { types, values, frames, ends } = profile
  const { locations, mappings } = addLocations(builder, profile)
  const attributes = samplesAttributes(builder, profile)
  const list = mappingList(profile.memoryMap, mappings)
  const profileAttributes = list === undefined ? [] : [builder.attribute(ATTRIBUTES.pprofMappings, list)]
  // pprof's default type is the last one, OTLP's the first.
  const order = [types.length - 1, ...types.keys()].slice(0, types.length)
  const name = profile.program
  builder.resource(name === '' ? {} : { attributes: [{ key: ATTRIBUTES.processExecutableName, value: name }] })
  builder.scope({ attributes: orderAttributes(order) })
  const stacks = new Int32Array(ends.length)
  const rows = Int32Array.from(frames.view(), address => locations[address])
  for (let i = 0, from = 0; i < ends.length; i++) {
    stacks[i] = builder.dictionary.stack(rows, from, ends.array[i])
    from = ends.array[i]
  }
  for (const type of order) {
    builder.profile({
      ...types[type],
      periodType: profile.periodType.type,
      periodUnit: profile.periodType.unit,
      period: profile.period,
      durationNano: profile.durationNano,
      attributes: profileAttributes,
    })
    for (let i = 0; i < stacks.length; i++) {
      const at = 2 * (i * types.length + type)
      builder.draft.values.pushAll(values.array, at, at + 2)
      for (const attribute of attributes[i] ?? []) builder.draft.sampleAttributes.push(attribute)
      builder.sampleRow(stacks[i], 0)
    }
  }
  return builder.build()
}

function orderAttributes(order: readonly number[]): KeyValue[] {
  if (order.every((type, i) => type === i)) return []
  return [{ key: ATTRIBUTES.pprofScopeSampleTypeOrder, value: order.map(BigInt) }]
}

/** Adds the locations of all used addresses. Also returns the mapping row of each used range, in order of use. */
function addLocations(
  builder: ProfilesBuilder,
  profile: LegacyProfile,
): { locations: Int32Array; mappings: ReadonlyMap<number, MappingIndex> } {
  const { addresses, frames, memoryMap, symbols } = profile
  const index = new RangeIndex(memoryMap)
  const rangeOf = new Int32Array(addresses.length).fill(NONE)
  const used = new Set<number>()
  const pool = addresses.pool.array
  for (const address of frames.view()) used.add(address)
  // Resolve all addresses before creating mappings, because finding an address can still change a range.
  for (const address of used) {
    const whole = uint64(pool[2 * address], pool[2 * address + 1])
    if (whole !== 0n && !isNameOnly(profile, address)) rangeOf[address] = index.find(whole)
  }
  const mappings = new Map<number, MappingIndex>()
  const locations = new Int32Array(addresses.length)
  for (const address of used) {
    const range = rangeOf[address]
    if (range >= 0 && !mappings.has(range)) mappings.set(range, addMapping(builder, memoryMap[range]))
    const lines = (symbols.get(address) ?? []).map(({ name, file, line }) => ({
      function: builder.function({ name, systemName: name, filename: file }),
      line,
    }))
    locations[address] = builder.location({
      mapping: mappings.get(range) ?? (0 as MappingIndex),
      address: isNameOnly(profile, address) ? 0n : uint64(pool[2 * address], pool[2 * address + 1]),
      lines,
    })
  }
  return { locations, mappings }
}

/** The id of a Java frame is not an address. If the frame has a name, the id is dropped. */
function isNameOnly({ hasNamedIds, symbols }: LegacyProfile, address: number): boolean {
  return hasNamedIds && symbols.has(address)
}

function addMapping(builder: ProfilesBuilder, range: MemoryRange): MappingIndex {
  const attributes: AttributeIndex[] = []
  if (range.buildId !== '') attributes.push(builder.attribute(ATTRIBUTES.buildIdGnu, range.buildId))
  const isZero = range.start === 0n && range.limit === 0n && range.offset === 0n && range.file === ''
  // A mapping of all zeros would equal the row "no mapping".
  if (isZero && attributes.length === 0) attributes.push(builder.attribute(ATTRIBUTES.pprofMappingHasFunctions, false))
  return builder.mapping({
    memoryStart: range.start,
    memoryLimit: range.limit,
    fileOffset: range.offset,
    filename: range.file,
    attributes,
  })
}

function samplesAttributes(builder: ProfilesBuilder, profile: LegacyProfile): readonly (readonly AttributeIndex[])[] {
  const { blockSizes, threads } = profile
  if (threads.length > 0) {
    return threads.map(thread =>
      thread === undefined
        ? []
        : [builder.attribute(ATTRIBUTES.threadName, thread.name), builder.attribute(ATTRIBUTES.threadId, thread.id)],
    )
  }
  return blockSizes.map(size => [builder.attribute(BLOCK_SIZE, size)])
}

/** The list of mappings in the form that the pprof reader stores, unless it equals the used ones in their order. */
function mappingList(
  ranges: readonly MemoryRange[],
  used: ReadonlyMap<number, MappingIndex>,
): KeyValueList[] | undefined {
  if (used.size === ranges.length && [...used.keys()].every((range, i) => range === i)) return undefined
  return ranges.map(({ start, limit, offset, file, buildId }, i) => ({
    entries: [
      { key: 'id', value: BigInt(i + 1) },
      { key: 'memory_start', value: BigInt.asIntN(64, start) },
      { key: 'memory_limit', value: BigInt.asIntN(64, limit) },
      { key: 'file_offset', value: BigInt.asIntN(64, offset) },
      { key: 'filename', value: file },
      { key: 'build_id', value: buildId },
      { key: 'flags', value: 0n },
    ],
  }))
}
