// The mappings of a recording. A mapping becomes a row of the dictionary when a sample first needs it, because a process maps
// about fifty files and runs code of five.
import { NONE } from '../../model/columns/brand.ts'
import type { AttributeIndex, MappingIndex } from '../../model/columns/brand.ts'
import type { ProfilesBuilder } from '../../model/build/builder.ts'
import { GrowingInts } from '../../model/columns/growing-columns.ts'
import { int64 } from '../../model/columns/int64.ts'
import { ATTRIBUTES } from '../../model/attributes/semantic-conventions.ts'
import { isUtf8 } from '../../wire/utf8.ts'
import { PERF_ATTRIBUTES } from '../recordings/perf-recording.ts'
import type { BuildIds } from './build-ids.ts'
import { buildIdText } from './build-ids.ts'
import type { AddressRange } from './memory-maps.ts'
import type { PerfBytes } from './perf-bytes.ts'
import { Misc, RecordType } from './record-types.ts'

const MMAP_NAME = 40
const MMAP2_NAME = 72
/** Columns: the record, and the row of the dictionary or NONE. */
const STRIDE = 2
/** The kernel's name includes the symbol that gives its address: `[kernel.kallsyms]_stext`. */
const KERNEL_NAME = /^(\[(?:guest\.)?kernel\.kallsyms(?:\.\d+)?\])_s?text$/
/** Decoding writes this for invalid UTF-8, although a valid name may contain it too. */
const REPLACEMENT = '\ufffd'

export class MappedFiles {
  /** The number of names that were not UTF-8. */
  invalidNames = 0
  readonly #builder: ProfilesBuilder
  readonly #file: PerfBytes
  readonly #buildIds: BuildIds
  readonly #rows = new GrowingInts(1024)
  readonly #range = new Int32Array(6)
  /** Attributes by build id. Processes map the same few hundred files thousands of times. */
  readonly #buildIdAttributes = new Map<string, AttributeIndex>()

  constructor(builder: ProfilesBuilder, file: PerfBytes, buildIds: BuildIds) {
    this.#builder = builder
    this.#file = file
    this.#buildIds = buildIds
  }

  /** Adds an MMAP, MMAP2 or KSYMBOL record and returns the number of its mapping. */
  add(record: number): number {
    this.#rows.push(record)
    this.#rows.push(NONE)
    return this.#rows.length / STRIDE - 1
  }

  /** The record of the mapping. */
  record(map: number): number {
    return this.#rows.array[STRIDE * map]
  }

  /** The mapping's row in the dictionary. */
  mapping(map: number): MappingIndex {
    const row = STRIDE * map + 1
    if (this.#rows.array[row] === NONE) this.#rows.array[row] = this.#addMapping(this.#rows.array[row - 1])
    return this.#rows.array[row] as MappingIndex
  }

  name(record: number): string {
    const file = this.#file
    const end = record + file.u16(record + 6)
    return file.text(record + nameOffset(file.u32(record)), end)
  }

  /** Returns whether the mapping is the kernel itself, not one of its modules. */
  isKernel(record: number): boolean {
    return KERNEL_NAME.test(this.name(record))
  }

  #addMapping(record: number): MappingIndex {
    const file = this.#file
    const builder = this.#builder
    const type = file.u32(record)
    const recordedName = this.name(record)
    const kernelName = KERNEL_NAME.exec(recordedName)?.[1]
    const name = kernelName ?? recordedName
    const attributes: AttributeIndex[] = []
    const buildId = this.#ownBuildId(record) ?? this.#buildIds.of(name) ?? this.#buildIds.of(recordedName)
    if (buildId !== undefined) attributes.push(this.#buildId(buildId))
    const { startLo, startHi, lastLo, lastHi } = recordRange(file, record)
    const range = this.#range
    range[0] = startLo
    range[1] = startHi
    // The limit is exclusive, except for a mapping that includes the last address.
    const isEnd = lastLo === -1 && lastHi === -1
    range[2] = isEnd ? -1 : (lastLo + 1) | 0
    range[3] = !isEnd && lastLo === -1 ? (lastHi + 1) | 0 : lastHi
    range[4] = type === RecordType.ksymbol ? 0 : file.lo(record + 32)
    range[5] = type === RecordType.ksymbol ? 0 : file.hi(record + 32)
    if (kernelName !== undefined) {
      // Addresses of the kernel are those of its symbols. The recorded offset is the address of the symbol in its name.
      if (range[4] !== startLo || range[5] !== startHi) {
        attributes.push(builder.attribute(PERF_ATTRIBUTES.kernelText, int64(range[4], range[5])))
      }
      range[4] = startLo
      range[5] = startHi
    }
    const set = Int32Array.from(attributes)
    if (recordedName.includes(REPLACEMENT) && !this.#isUtf8(record)) this.invalidNames++
    return builder.dictionary.mapping(range, 0, builder.string(name), set, set.length)
  }

  #buildId(text: string): AttributeIndex {
    let attribute = this.#buildIdAttributes.get(text)
    if (attribute === undefined) {
      attribute = this.#builder.attribute(ATTRIBUTES.buildIdGnu, text)
      this.#buildIdAttributes.set(text, attribute)
    }
    return attribute
  }

  #isUtf8(record: number): boolean {
    const file = this.#file
    const from = record + nameOffset(file.u32(record))
    return isUtf8(file.bytes, from, file.textEnd(from, record + file.u16(record + 6)))
  }

  #ownBuildId(record: number): string | undefined {
    const file = this.#file
    if (file.u32(record) !== RecordType.mmap2 || (file.u16(record + 4) & Misc.mmap2BuildId) === 0) return undefined
    return buildIdText(file, record + 44, file.bytes[record + 40]) || undefined
  }
}

/** The minimum length of a record: everything before its name. */
export function nameOffset(type: number): number {
  return type === RecordType.mmap2 ? MMAP2_NAME : type === RecordType.mmap ? MMAP_NAME : 24
}

/** The addresses of an MMAP, MMAP2 or KSYMBOL record. A length of 0 means everything up to the last address. */
export function recordRange(file: PerfBytes, record: number): AddressRange {
  const isSymbol = file.u32(record) === RecordType.ksymbol
  const at = isSymbol ? record + 8 : record + 16
  const startLo = file.lo(at)
  const startHi = file.hi(at)
  const lengthLo = isSymbol ? file.i32(at + 8) : file.lo(at + 8)
  const lengthHi = isSymbol ? 0 : file.hi(at + 8)
  // start + length - 1, limited to the last address.
  const low = (startLo >>> 0) + (lengthLo >>> 0)
  const high = (startHi >>> 0) + (lengthHi >>> 0) + (low > 0xffff_ffff ? 1 : 0)
  const isEmpty = lengthLo === 0 && lengthHi === 0
  if (isEmpty || high > 0xffff_ffff) return { startLo, startHi, lastLo: -1, lastHi: -1 }
  const lowWord = low >>> 0
  return { startLo, startHi, lastLo: (lowWord - 1) | 0, lastHi: (lowWord === 0 ? high - 1 : high) | 0 }
}
