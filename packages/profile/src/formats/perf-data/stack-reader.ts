// Converts the addresses of a sample to rows of the dictionary. It finds the mapping of each address at the time of the sample,
// in the address space of its CPU mode. Addresses repeat often, so results are cached.
import type { LocationIndex, MappingIndex, StackIndex, StringIndex } from '../../model/columns/brand.ts'
import type { ProfilesBuilder } from '../../model/build/builder.ts'
import { ATTRIBUTES } from '../../model/attributes/semantic-conventions.ts'
import { encodeUtf8 } from '../../wire/utf8.ts'
import type { MappedFiles } from './mapped-files.ts'
import { MemoryMaps } from './memory-maps.ts'
import type { PerfBytes } from './perf-bytes.ts'
import type { Processes } from './processes.ts'
import { contextMode, CpuMode, FIRST_CONTEXT, RecordType } from './record-types.ts'

/** Each slot has stamp (0 if free), address (64 bits) and location. 16,384 slots take 256 KiB and cover a program's working set. */
const CACHE_SLOTS = 1 << 14
const SLOT = 4
const NO_INTS = new Int32Array(0)

export class StackReader {
  /** The maps of the kernel, and of the kernel of a virtual machine. */
  readonly kernel = new MemoryMaps()
  readonly guestKernel = new MemoryMaps()
  readonly #builder: ProfilesBuilder
  readonly #file: PerfBytes
  readonly #files: MappedFiles
  readonly #processes: Processes
  readonly #cache = new Int32Array(CACHE_SLOTS * SLOT)
  /** Attribute lists with the frame type, created on first use. */
  readonly #types = new Map<'kernel' | 'native', Int32Array>()
  readonly #lines = new Int32Array(5)
  #locations = new Int32Array(256)

  constructor(builder: ProfilesBuilder, file: PerfBytes, files: MappedFiles, processes: Processes) {
    this.#builder = builder
    this.#file = file
    this.#files = files
    this.#processes = processes
  }

  /** The stack of the single address at `at`. */
  single(pid: number, mode: CpuMode, at: number): StackIndex {
    this.#locations[0] = this.#find(this.#space(mode, pid), mode, this.#file.lo(at), this.#file.hi(at))
    return this.#builder.dictionary.stack(this.#locations, 0, 1)
  }

  /** The stack of a callchain of `count` entries at `at`; undefined if it has no addresses. */
  chain(pid: number, sampleMode: CpuMode, at: number, count: number): StackIndex | undefined {
    const file = this.#file
    if (count > this.#locations.length) this.#locations = new Int32Array(2 * count)
    const locations = this.#locations
    let mode: CpuMode = sampleMode
    let space = this.#space(mode, pid)
    let depth = 0
    for (let i = 0, entry = at; i < count; i++, entry += 8) {
      const lo = file.lo(entry)
      const hi = file.hi(entry)
      if (hi === -1 && lo >= FIRST_CONTEXT && lo < 0) {
        mode = contextMode(lo)
        space = this.#space(mode, pid)
      } else locations[depth++] = this.#find(space, mode, lo, hi)
    }
    return depth === 0 ? undefined : this.#builder.dictionary.stack(locations, 0, depth)
  }

  /** The location of an address, from the cache if possible. */
  #find(space: MemoryMaps | undefined, mode: CpuMode, lo: number, hi: number): number {
    if (space === undefined) return this.#location(space, mode, lo, hi)
    const cache = this.#cache
    const { stamp } = space
    const slot = SLOT * (slotHash(lo, hi, stamp) & (CACHE_SLOTS - 1))
    if (cache[slot] === stamp && cache[slot + 1] === lo && cache[slot + 2] === hi) return cache[slot + 3]
    const location = this.#location(space, mode, lo, hi)
    cache[slot] = stamp
    cache[slot + 1] = lo
    cache[slot + 2] = hi
    cache[slot + 3] = location
    return location
  }

  #space(mode: CpuMode, pid: number): MemoryMaps | undefined {
    switch (mode) {
      case CpuMode.kernel:
        return this.kernel
      case CpuMode.guestKernel:
        return this.guestKernel
      case CpuMode.user:
        return this.#processes.maps(pid)
      case CpuMode.guestUser:
      case CpuMode.hypervisor:
      case CpuMode.unknown:
        return undefined
    }
  }

  #location(space: MemoryMaps | undefined, mode: CpuMode, lo: number, hi: number): LocationIndex {
    const map = space?.find(lo, hi)
    const types = this.#typesOf(mode)
    if (map === undefined) {
      const mapping = mode === CpuMode.hypervisor ? this.#hypervisor() : (0 as MappingIndex)
      return this.#builder.dictionary.location(mapping, lo, hi, NO_INTS, 0, types, types.length)
    }
    const record = this.#files.record(map)
    const mapping = this.#files.mapping(map)
    const lines = this.#file.u32(record) === RecordType.ksymbol ? this.#symbolLine(record) : NO_INTS
    return this.#builder.dictionary.location(mapping, lo, hi, lines, lines.length === 0 ? 0 : 1, types, types.length)
  }

  /** The line with the name of a BPF program. */
  #symbolLine(record: number): Int32Array {
    const { dictionary } = this.#builder
    const name = encodeUtf8(this.#files.name(record))
    const none = 0 as StringIndex
    this.#lines[0] = dictionary.function(dictionary.string(name, 0, name.length), none, none, 0, 0)
    return this.#lines
  }

  #typesOf(mode: CpuMode): Int32Array {
    switch (mode) {
      case CpuMode.kernel:
      case CpuMode.guestKernel:
      case CpuMode.hypervisor:
        return this.#type('kernel')
      case CpuMode.user:
      case CpuMode.guestUser:
        return this.#type('native')
      case CpuMode.unknown:
        return NO_INTS
    }
  }

  #type(name: 'kernel' | 'native'): Int32Array {
    let list = this.#types.get(name)
    if (list === undefined) {
      list = Int32Array.of(this.#builder.attribute(ATTRIBUTES.frameType, name))
      this.#types.set(name, list)
    }
    return list
  }

  #hypervisor(): MappingIndex {
    return this.#builder.mapping({ filename: '[hypervisor]' })
  }
}

function slotHash(lo: number, hi: number, stamp: number): number {
  const mixed = Math.imul(lo ^ Math.imul(stamp, 0x9e37_79b1), 0x85eb_ca6b) ^ Math.imul(hi, 0xc2b2_ae35)
  return mixed ^ (mixed >>> 15)
}
