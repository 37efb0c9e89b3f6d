// Names of native frames in the resident dictionary. Senders such as the eBPF profiler send native frames as addresses; they get
// their functions, inlined calls, files and lines here, when their locations are loaded. The stored data stays as it was sent.
import type { MappedBinary, MappedRange, ProfilesBuilder } from '@hearth/profile'
import { LINE_STRIDE, demangle } from '@hearth/profile'
import type { BinaryNames, SymbolNames } from '../../symbols/binary-names.ts'
import type { UnresolvedReason } from '../../symbols/found-binary.ts'
import { UNRESOLVED_REASONS } from '../../symbols/found-binary.ts'

/** A mapping of the dictionary as the sender described it. */
export interface MappingPlace {
  readonly binary: MappedBinary
  readonly range: MappedRange
}

/** Frames of interpreters stay as they were sent: their addresses are not those of functions. */
const NATIVE_TYPES: ReadonlySet<string> = new Set(['', 'native', 'kernel', 'go', 'rust'])

/** States of locations: sent with names or not native, named here, or 2 + the place of the reason in UNRESOLVED_REASONS. */
const AS_SENT = 0
const NAMED = 1
const FIRST_REASON = 2

export class NativeFrames {
  readonly #builder: ProfilesBuilder
  readonly #names: SymbolNames | undefined
  /** By row of the dictionary's mappings. */
  readonly #places = new Map<number, MappingPlace>()
  readonly #binaries = new Map<number, BinaryNames>()
  /** By row of the dictionary's locations. */
  #states = new Uint8Array(1024)
  #unnamed = 0
  #named = 0

  constructor(builder: ProfilesBuilder, names: SymbolNames | undefined) {
    this.#builder = builder
    this.#names = names
  }

  addMapping(row: number, place: MappingPlace): void {
    if (row !== 0) this.#places.set(row, place)
  }

  place(mapping: number): MappingPlace | undefined {
    return this.#places.get(mapping)
  }

  /** The names of a mapping's binary. Undefined until they are opened. */
  binary(mapping: number): BinaryNames | undefined {
    return this.#binaries.get(mapping)
  }

  isNative(frameType: string): boolean {
    return NATIVE_TYPES.has(frameType)
  }

  /** Opens the names of mappings. To be called before `lookup`. */
  async open(tenant: string, mappings: Iterable<number>): Promise<void> {
    const rows = [...new Set(mappings)].filter(row => this.#places.has(row) && !this.#binaries.has(row))
    if (this.#names === undefined || rows.length === 0) return
    const names = await this.#names.of(
      tenant,
      rows.map(row => this.#places.get(row)!.binary),
    )
    for (const [k, row] of rows.entries()) this.#binaries.set(row, names[k])
  }

  /** Appends the lines at an address to `lines`, innermost first. Returns the number of lines, or the reason why there are none. */
  lookup(mapping: number, address: bigint, lines: LineBuffer): number | UnresolvedReason {
    const place = this.#places.get(mapping)
    if (place === undefined) return 'no-build-id'
    const frames = this.#binaries.get(mapping)?.lookup(address, place.range)
    if (frames === undefined) return Object.keys(place.binary.buildIds).length === 0 ? 'no-build-id' : 'no-debug-info'
    if (typeof frames === 'string') return frames
    for (const { name, file, line, column, startLine } of frames) {
      const readable = demangle(name) ?? name
      const called = this.#builder.function({ name: readable, systemName: name, filename: file, startLine })
      lines.push(called, line, column)
    }
    return frames.length
  }

  /** Records the result of a lookup for a location. */
  mark(location: number, result: number | UnresolvedReason): void {
    if (location >= this.#states.length) {
      const grown = new Uint8Array(2 * location)
      grown.set(this.#states)
      this.#states = grown
    }
    if (this.#states[location] !== AS_SENT) return
    if (typeof result === 'number') {
      this.#named++
      this.#states[location] = NAMED
    } else {
      this.#unnamed++
      this.#states[location] = FIRST_REASON + UNRESOLVED_REASONS.indexOf(result)
    }
  }

  /** Whether the location was sent without the lines that it has here. */
  isNamed(location: number): boolean {
    return this.#named > 0 && this.#states[location] === NAMED
  }

  get hasUnnamed(): boolean {
    return this.#unnamed > 0
  }

  /** Undefined if the location has a name or is not native. */
  reason(location: number): UnresolvedReason | undefined {
    const state = this.#states[location] ?? AS_SENT
    return state < FIRST_REASON ? undefined : UNRESOLVED_REASONS[state - FIRST_REASON]
  }

  get byteLength(): number {
    return this.#states.byteLength
  }
}

/** Lines of a location in the form of the dictionary. */
export class LineBuffer {
  ints = new Int32Array(16 * LINE_STRIDE)
  #length = 0

  clear(): void {
    this.#length = 0
  }

  reserve(count: number): void {
    if (count * LINE_STRIDE > this.ints.length) {
      const grown = new Int32Array(2 * count * LINE_STRIDE)
      grown.set(this.ints)
      this.ints = grown
    }
  }

  push(functionRow: number, line: number, column: number): void {
    this.reserve(this.#length + 1)
    this.ints.set([functionRow, line, 0, column, 0], this.#length++ * LINE_STRIDE)
  }
}
