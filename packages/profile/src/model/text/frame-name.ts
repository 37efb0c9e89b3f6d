// The name of a frame, for the flame graphs of `analyze` and the formats that write names. A location has one frame for
// each of its lines (inlined calls), or a single frame if it has no lines.
import type { AttributeIndex, LocationIndex, MappingIndex, StringIndex } from '../columns/brand.ts'
import { NONE } from '../columns/brand.ts'
import type { Dictionary } from '../columns/dictionary.ts'
import { ValueKind } from '../columns/dictionary.ts'
import type { BuildIdKind } from '../attributes/build-id.ts'
import { parseBuildId } from '../attributes/build-id.ts'
import { ATTRIBUTES } from '../attributes/semantic-conventions.ts'

/** The name of a frame without any information. */
export const UNKNOWN_NAME = '[unknown]'

/** The function name of line `k`, or else its system name. Row 0 if it has neither, or if `k` is NONE. */
export function functionName(dictionary: Dictionary, k: number): StringIndex {
  if (k === NONE) return 0 as StringIndex
  const { strings, functions, locations } = dictionary
  const row = locations.lines.function(k)
  const name = functions.name(row)
  return strings.byteLength(name) > 0 ? name : functions.systemName(row)
}

/** The file of the function of line `k`. */
export function functionFile(dictionary: Dictionary, k: number): StringIndex {
  if (k === NONE) return 0 as StringIndex
  return dictionary.functions.filename(dictionary.locations.lines.function(k))
}

export function mappingFile(dictionary: Dictionary, location: LocationIndex): StringIndex {
  return dictionary.mappings.filename(dictionary.locations.mapping(location))
}

/**
 * The address as an offset into the mapped file: address - memory start + file offset. One instruction thus has one
 * name wherever the loader placed the file. eBPF profilers send addresses that are already relative to the file; these
 * lie outside the mapping's memory and stay unchanged.
 */
export function fileAddress(dictionary: Dictionary, location: LocationIndex): bigint {
  const { mappings, locations } = dictionary
  const mapping = locations.mapping(location)
  const address = locations.address(location)
  const start = mappings.memoryStart(mapping)
  const limit = mappings.memoryLimit(mapping)
  if (start === 0n || address < start || (limit !== 0n && address >= limit)) return address
  return BigInt.asUintN(64, address - start + mappings.fileOffset(mapping))
}

/** Executables that are not position-independent run at the addresses of their file, which linkers choose in this range. */
const FIXED_FROM = 1n << 20n
const FIXED_TO = 1n << 28n

/**
 * The address in the numbering of the file, by which addr2line and debuggers know it. The eBPF profiler sends it, with mappings
 * in the same numbering, and its mappings have an htlhash. Where a mapping has addresses of the running process, the offset
 * in the file is the best that is known without the file.
 */
export function codeAddress(dictionary: Dictionary, location: LocationIndex): bigint {
  const { mappings, locations } = dictionary
  const mapping = locations.mapping(location)
  const start = mappings.memoryStart(mapping)
  const isFixed = start >= FIXED_FROM && start < FIXED_TO
  if (isFixed || buildIdOf(dictionary, mapping, 'htlhash') !== '') return locations.address(location)
  return fileAddress(dictionary, location)
}

/** The build id of a mapping: of the given kind, or the best one. Empty if there is none. */
export function buildIdOf(
  { mappings, attributes, strings }: Dictionary,
  mapping: MappingIndex,
  kind?: BuildIdKind,
): string {
  let found = ''
  let rank = BUILD_ID_KINDS.length
  for (const attribute of mappings.attributesOf(mapping)) {
    const of = parseBuildId(strings.text(attributes.key(attribute)))
    const value = of === undefined ? undefined : attributes.value(attribute)
    if (of === undefined || typeof value !== 'string' || (kind !== undefined && of !== kind)) continue
    const place = BUILD_ID_KINDS.indexOf(of)
    if (place >= rank) continue
    rank = place
    found = value
  }
  return found
}

/** The best first. */
const BUILD_ID_KINDS: readonly BuildIdKind[] = ['gnu', 'go', 'htlhash', 'profiling']

/**
 * The name of a frame without a function name:
 *
 *   libc.so.6+0x1234   mapping and address     0x1234      address only
 *   [libc.so.6]        mapping only            [unknown]   neither, or [v8js] if the frame type is known
 */
export function addressName(dictionary: Dictionary, location: LocationIndex): string {
  if (dictionary.locations.address(location) === 0n) return unnamedName(dictionary, location)
  const file = baseName(dictionary.strings.text(mappingFile(dictionary, location)))
  const address = `0x${codeAddress(dictionary, location).toString(16)}`
  return file === '' ? address : `${file}+${address}`
}

/** The name of all frames of a library that have no name: `[libc.so.6]`, or `[v8js]` without a library, or `[unknown]`. */
export function unnamedName(dictionary: Dictionary, location: LocationIndex): string {
  const file = baseName(dictionary.strings.text(mappingFile(dictionary, location)))
  return bracketed(file === '' ? (frameType(dictionary, location) ?? '') : file)
}

/** The name of the frame of line `k` of a location, or of the complete location if `k` is NONE. */
export function frameName(dictionary: Dictionary, location: LocationIndex, k: number): string {
  return dictionary.strings.text(functionName(dictionary, k)) || addressName(dictionary, location)
}

/** Adds brackets to a name that is not a function: `[libc.so.6]`. `[vdso]` already has them. */
export function bracketed(name: string): string {
  if (name === '') return UNKNOWN_NAME
  return name.startsWith('[') ? name : `[${name}]`
}

export function baseName(path: string): string {
  return path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1)
}

/** Whether an attribute is a frame type. The conventions define strings only, so other kinds of values are ignored. */
export function isFrameType(dictionary: Dictionary, i: AttributeIndex): boolean {
  const { attributes, strings } = dictionary
  if (attributes.kind(i) !== ValueKind.string || attributes.b(i) === 0) return false
  return strings.text(attributes.key(i)) === ATTRIBUTES.frameType
}

/** The location's `profile.frame.type`. */
export function frameType(dictionary: Dictionary, location: LocationIndex): string | undefined {
  const { locations, attributes } = dictionary
  for (let k = locations.attributesFrom(location); k < locations.attributesTo(location); k++) {
    const attribute = locations.attributes.at(k)
    if (isFrameType(dictionary, attribute)) return attributes.value(attribute) as string
  }
  return undefined
}
