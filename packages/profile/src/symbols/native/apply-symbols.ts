// Gives native frames their functions, files and lines. The eBPF profiler and perf send them as addresses alone.
import { parseBuildId, type BuildIdKind } from '../../model/attributes/build-id.ts'
import { ATTRIBUTES } from '../../model/attributes/semantic-conventions.ts'
import type { AttributeIndex, LocationIndex, MappingIndex } from '../../model/columns/brand.ts'
import { LINE_STRIDE, LOCATION_STRIDE } from '../../model/columns/dictionary.ts'
import { GrowingInts } from '../../model/columns/growing-columns.ts'
import type { Profiles } from '../../model/columns/profiles.ts'
import { DictionaryEdit } from '../dictionary-edit.ts'
import { ProcessCode, type CompiledCode } from './files/process-code.ts'
import type { SymbolIndex } from './index/symbol-index.ts'
import type { Segment } from './object/object-file.ts'

/** A binary as a mapping names it. */
export interface MappedBinary {
  readonly filename: string
  readonly buildIds: Readonly<Partial<Record<BuildIdKind, string>>>
}

export interface BinarySymbols {
  readonly index: SymbolIndex
  /** The segments of the binary. Without them addresses of a profile are looked up as they are. */
  readonly segments: readonly Segment[]
}

export interface AppliedSymbols {
  readonly profiles: Profiles
  /** Locations that got names. */
  readonly resolved: number
  /** Locations that still have none. */
  readonly unresolved: number
}

/**
 * Names the locations that have an address and no lines. Calls `find` once for each mapping. All other locations, such as
 * those of interpreters, stay as they were sent. `compiled` names code of just-in-time compilers, which no mapping names.
 *
 * The eBPF profiler sends Go's frames with the outermost function only, without its first line. They get their inlined calls
 * and first lines if the binary has the same function at their address.
 */
export function applySymbols(
  profiles: Profiles,
  find: (binary: MappedBinary) => BinarySymbols | undefined,
  compiled?: CompiledCode,
): AppliedSymbols {
  const code = compiled && new ProcessCode(profiles, compiled)
  const { locations } = profiles.dictionary
  const binaries = new Map<MappingIndex, BinarySymbols | undefined>()
  const lines = new GrowingInts()
  const go = new GoFrames(profiles)
  let edit: DictionaryEdit | undefined
  let resolved = 0
  let unresolved = 0
  for (let i = 0 as LocationIndex; i < locations.length; i++) {
    const { ints, base } = locations.lines
    const from = locations.linesFrom(i)
    const to = locations.linesTo(i)
    lines.pushAll(ints, base + from * LINE_STRIDE, base + to * LINE_STRIDE)
    const outermost = go.outermostName(i)
    if ((from === to || outermost !== undefined) && locations.address(i) !== 0n) {
      const mapping = locations.mapping(i)
      if (!binaries.has(mapping))
        binaries.set(mapping, mapping === 0 ? undefined : find(mappedBinary(profiles, mapping)))
      const symbols = binaries.get(mapping)
      const found =
        symbols?.index.lookup(
          addressInFile(locations.address(i), rangeOf(profiles.dictionary, mapping), symbols.segments),
        ) ??
        code?.lookup(i) ??
        []
      const frames = outermost === undefined || found.at(-1)?.name === outermost ? found : []
      if (frames.length > 0) {
        resolved++
        // The lines of the binary replace the one that was sent.
        lines.length -= (to - from) * LINE_STRIDE
      } else if (from === to) unresolved++
      for (const { name, file, line, column, startLine } of frames) {
        edit ??= new DictionaryEdit(profiles)
        const nameRow = edit.string(name)
        lines.push(edit.function(nameRow, nameRow, edit.string(file), startLine))
        lines.push(line)
        lines.push(0)
        lines.push(column)
        lines.push(0)
      }
    }
    if (edit !== undefined) edit.locations.array[i * LOCATION_STRIDE + 3] = lines.length / LINE_STRIDE
  }
  if (edit === undefined) return { profiles, resolved, unresolved }
  edit.lines.length = 0
  edit.lines.pushAll(lines.array, 0, lines.length)
  return { profiles: edit.finish(), resolved, unresolved }
}

/** Finds the frames of Go that have a single function, without its first line. */
class GoFrames {
  readonly #dictionary: Profiles['dictionary']
  /** The rows of attributes that state the frame type `go`. */
  readonly #types: ReadonlySet<AttributeIndex>

  constructor({ dictionary }: Profiles) {
    this.#dictionary = dictionary
    const { attributes, strings } = dictionary
    const rows = Array.from({ length: attributes.length }, (_, row) => row as AttributeIndex)
    this.#types = new Set(
      rows.filter(row => strings.text(attributes.key(row)) === ATTRIBUTES.frameType && attributes.value(row) === 'go'),
    )
  }

  /** The name of the function. Undefined for all other locations. */
  outermostName(location: LocationIndex): string | undefined {
    if (this.#types.size === 0) return undefined
    const { locations, functions, strings } = this.#dictionary
    const from = locations.linesFrom(location)
    if (locations.linesTo(location) - from !== 1) return undefined
    const called = locations.lines.function(from)
    if (functions.startLine(called) !== 0n) return undefined
    const isGo = locations.attributesOf(location).some(row => this.#types.has(row))
    return isGo ? strings.text(functions.name(called)) : undefined
  }
}

export function rangeOf({ mappings }: Pick<Profiles['dictionary'], 'mappings'>, mapping: MappingIndex): MappedRange {
  return {
    start: mappings.memoryStart(mapping),
    limit: mappings.memoryLimit(mapping),
    fileOffset: mappings.fileOffset(mapping),
  }
}

/** The file and the build ids of a mapping. */
export function mappedBinary({ dictionary }: Pick<Profiles, 'dictionary'>, mapping: MappingIndex): MappedBinary {
  const { mappings, attributes, strings } = dictionary
  const buildIds: Partial<Record<BuildIdKind, string>> = {}
  for (const attribute of mappings.attributesOf(mapping)) {
    const kind = parseBuildId(strings.text(attributes.key(attribute)))
    const value = kind === undefined ? undefined : attributes.value(attribute)
    if (kind !== undefined && typeof value === 'string') buildIds[kind] = value
  }
  return { filename: strings.text(mappings.filename(mapping)), buildIds }
}

/** A mapping's place in memory and in its file. */
export interface MappedRange {
  readonly start: bigint
  readonly limit: bigint
  readonly fileOffset: bigint
}

/**
 * The address in the file's own numbering. perf and Go state addresses and mappings as they were at run time, the eBPF profiler
 * already in the file's numbering. The way over the file offset is right for both.
 */
export function addressInFile(
  address: bigint,
  { start, limit, fileOffset }: MappedRange,
  segments: readonly Segment[],
): bigint {
  if (limit <= start || address < start) return address
  const inMapping = address - start
  const code = segments.filter(({ executable }) => executable)
  // objcopy leaves no file offsets in the segments of a debug file. A mapping of code starts at the page of its segment.
  if (code.length === 1 && code[0].fileSize === 0) return code[0].address - (code[0].address % PAGE) + inMapping
  const offset = Number(inMapping + fileOffset)
  const segment = code.find(({ fileOffset: from, fileSize }) => offset >= from && offset < from + fileSize)
  return segment === undefined ? address : segment.address + BigInt(offset - segment.fileOffset)
}

const PAGE = 4096n
