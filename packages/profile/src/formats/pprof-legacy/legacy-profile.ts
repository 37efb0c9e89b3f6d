// A legacy profile during reading: addresses, stacks of addresses, and a value of each type for every sample. All dialects use
// it. to-profiles.ts converts it to the model.
import { GrowingInts } from '../../model/columns/growing-columns.ts'
import { MAX_INT64, MIN_INT64, highHalf, lowHalf } from '../../model/columns/int64.ts'
import { SequenceInterner } from '../../model/build/intern.ts'
import type { ReadOptions } from '../format.ts'
import { FormatError, NoteList } from '../format.ts'
import type { MemoryRange } from './memory-map.ts'

export const FORMAT = 'pprof-legacy'

export interface ValueType {
  readonly type: string
  readonly unit: string
}

/** A function of an address, from the text of the file. */
export interface SymbolLine {
  readonly name: string
  readonly file: string
  readonly line: bigint
}

export interface ThreadName {
  readonly name: string
  readonly id: bigint
}

export class LegacyProfile {
  readonly options: ReadOptions
  readonly notes = new NoteList()
  types: readonly ValueType[] = []
  periodType: ValueType = { type: '', unit: '' }
  period = 0n
  durationNano = 0n
  /** Low and high half of each address. */
  readonly addresses = new SequenceInterner()
  /** Rows of addresses, leaf first, of all samples. `ends` has the end of each sample's frames. */
  readonly frames = new GrowingInts()
  readonly ends = new GrowingInts()
  /** Two ints for each type of each sample. */
  readonly values = new GrowingInts()
  /** Optional values by sample: the block size of a heap sample, and the thread of a stack. */
  readonly blockSizes: bigint[] = []
  readonly threads: (ThreadName | undefined)[] = []
  /** By row of an address, innermost first. */
  readonly symbols = new Map<number, SymbolLine[]>()
  memoryMap: MemoryRange[] = []
  /** The name of the executable, or empty. */
  program = ''
  /** The addresses are ids that the agent assigned. If an id has a name, the id itself is not stored. */
  hasNamedIds = false
  readonly #key = new Int32Array(2)

  constructor(options: ReadOptions) {
    this.options = options
  }

  get sampleCount(): number {
    return this.ends.length
  }

  address(lo: number, hi: number): number {
    this.#key[0] = lo
    this.#key[1] = hi
    return this.addresses.intern(this.#key, 0, 2)
  }

  /** Adds a frame to the next sample. `back`: the address is a return address, so the call is one byte earlier. */
  frame(lo: number, hi: number, back: boolean): void {
    const borrow = back && lo === 0 ? 1 : 0
    this.frames.push(this.address(back ? (lo - 1) | 0 : lo, (hi - borrow) | 0))
  }

  /** Completes a sample whose frames were added before. */
  sample(values: readonly bigint[]): void {
    for (const value of values) {
      this.values.push(lowHalf(value))
      this.values.push(highHalf(value))
    }
    this.ends.push(this.frames.length)
  }

  /** Drops the frames that were added for an invalid sample. */
  dropFrames(): void {
    this.frames.length = this.#start(this.sampleCount)
  }

  /** Adds every address of the form 0x and hex digits in [from, to). */
  hexFrames(bytes: Uint8Array, from: number, to: number, isBack: (frame: number) => boolean): void {
    for (let i = from; i + 2 < to; i++) {
      if (bytes[i] !== 48 || bytes[i + 1] !== 120 || hexDigit(bytes[i + 2]) < 0) continue
      const start = i
      let lo = 0
      let hi = 0
      for (i += 2; i < to; i++) {
        const digit = hexDigit(bytes[i])
        if (digit < 0) break
        if (hi >>> 28 !== 0) throw new FormatError(FORMAT, start, 'address of more than 64 bits')
        hi = (hi << 4) | (lo >>> 28)
        lo = (lo << 4) | digit
      }
      this.frame(lo, hi, isBack(this.frames.length - this.#start(this.sampleCount)))
      i--
    }
  }

  /** Removes the second frame from all stacks for which `matches` is true. It gets the rows of the first two frames. */
  removeSecondFrames(matches: (first: number, second: number) => boolean): number {
    const { frames, ends } = this
    let removed = 0
    let to = 0
    for (let sample = 0, from = 0; sample < ends.length; sample++) {
      const end = ends.array[sample]
      const drops = end - from > 1 && matches(frames.array[from], frames.array[from + 1])
      for (let i = from; i < end; i++) if (!drops || i !== from + 1) frames.array[to++] = frames.array[i]
      if (drops) removed++
      from = end
      ends.array[sample] = to
    }
    frames.length = to
    return removed
  }

  /** Removes duplicates of the leaf: signal handlers may list it as the interrupted address and as a return address. */
  removeDoubledLeaves(): void {
    const { array } = this.addresses.pool
    const follows = (first: number, second: number): boolean => {
      const lo = (array[2 * second] + 1) | 0
      return array[2 * first] === lo && array[2 * first + 1] === ((array[2 * second + 1] + (lo === 0 ? 1 : 0)) | 0)
    }
    this.removeSecondFrames(follows)
  }

  /** Skips the line if the file is read leniently, otherwise rethrows the error. */
  skip(error: unknown): void {
    if (!(error instanceof FormatError) || this.options.lenient !== true) throw error
    this.dropFrames()
    this.notes.addDamage('skipped-lines', `invalid lines were skipped, the first: ${error.message}`)
  }

  #start(sample: number): number {
    return sample === 0 ? 0 : this.ends.array[sample - 1]
  }
}

function hexDigit(byte: number): number {
  if (byte >= 48 && byte <= 57) return byte - 48
  return byte >= 97 && byte <= 102 ? byte - 87 : -1
}

/** Parses a decimal number of the line at `offset`. */
export function int64Of(digits: string, offset: number): bigint {
  return inInt64(BigInt(digits), offset)
}

export function inInt64(value: bigint, offset: number): bigint {
  if (value < MIN_INT64 || value > MAX_INT64) throw new FormatError(FORMAT, offset, `${value} does not fit in 64 bits`)
  return value
}

/** Rounds towards zero, like the tools that the tests compare with. */
export function wholeOf(value: number, offset: number): bigint {
  if (!Number.isFinite(value)) throw new FormatError(FORMAT, offset, `${value} is not a finite number`)
  return inInt64(BigInt(Math.trunc(value)), offset)
}

/**
 * Scales a heap sample up to an estimate of all allocations. An allocation of S bytes is sampled with a probability of
 * 1 - exp(-S / rate), so the sampled values are divided by that.
 */
export function unsampled(count: bigint, size: bigint, rate: bigint, offset: number): [count: bigint, size: bigint] {
  if (count === 0n || size === 0n) return [0n, 0n]
  if (rate <= 1n) return [count, size]
  const average = Number(size) / Number(count)
  const scale = 1 / (1 - Math.exp(-average / Number(rate)))
  return [wholeOf(Number(count) * scale, offset), wholeOf(Number(size) * scale, offset)]
}
