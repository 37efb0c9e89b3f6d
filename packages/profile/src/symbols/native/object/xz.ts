// Decompresses xz (LZMA2), in which `.gnu_debugdata` holds a small symbol table. Only LZMA2 without further filters, as these
// sections have it. Check sums are not verified: the content is checked as an ELF file anyway.
import { ByteCursor } from '../byte-cursor.ts'
import { SymbolFileError } from '../symbol-file-error.ts'

const LZMA2_FILTER = 0x21

export function unxz(bytes: Uint8Array, limit: number): Uint8Array {
  const cursor = new ByteCursor('xz', bytes)
  const magic = cursor.take(6)
  if (magic[0] !== 0xfd || magic[1] !== 0x37 || magic[2] !== 0x7a) throw cursor.error('no xz header')
  cursor.skip(1)
  const checkBytes = [0, 4, 4, 4, 8, 8, 8, 16, 16, 16, 32, 32, 32, 64, 64, 64][cursor.u8() & 15]
  cursor.skip(4)
  const output = new Output(limit)
  while (cursor.at < cursor.end) {
    const headerAt = cursor.at
    const headerBytes = cursor.u8()
    // The index follows the last block and begins with 0.
    if (headerBytes === 0) break
    readBlockHeader(cursor)
    cursor.seek(headerAt + (headerBytes + 1) * 4)
    new Lzma2(cursor, output).decode()
    cursor.seek(Math.min(cursor.end, Math.ceil(cursor.at / 4) * 4))
    cursor.skip(checkBytes)
  }
  return output.bytes.subarray(0, output.length)
}

function readBlockHeader(cursor: ByteCursor): void {
  const flags = cursor.u8()
  if ((flags & 0x40) !== 0) cursor.skipLeb()
  if ((flags & 0x80) !== 0) cursor.skipLeb()
  const filter = cursor.uleb()
  if ((flags & 3) !== 0 || filter !== LZMA2_FILTER) throw cursor.error('only the LZMA2 filter is supported')
}

class Output {
  bytes = new Uint8Array(1 << 16)
  length = 0
  readonly limit: number

  constructor(limit: number) {
    this.limit = limit
  }

  reserve(count: number): void {
    const need = this.length + count
    if (need > this.limit) throw new SymbolFileError('xz', `the content exceeds the limit of ${this.limit} bytes`)
    if (need <= this.bytes.length) return
    const grown = new Uint8Array(Math.min(this.limit, Math.max(need, this.bytes.length * 2)))
    grown.set(this.bytes.subarray(0, this.length))
    this.bytes = grown
  }
}

/** LZMA2 allows no more. It bounds the tables of a stream. */
const MAX_LITERAL_BITS = 4
const STATES = 12
const MATCH_MIN = 2
const BIT_ONE = 1 << 11
const TOP = 1 << 24

/** The adaptive probabilities of one LZMA stream. */
class Probabilities {
  readonly isMatch = fresh(STATES << 4)
  readonly isRep = fresh(STATES)
  readonly isRepG0 = fresh(STATES)
  readonly isRepG1 = fresh(STATES)
  readonly isRepG2 = fresh(STATES)
  readonly isRep0Long = fresh(STATES << 4)
  readonly slots = fresh(4 << 6)
  readonly special = fresh(115)
  readonly align = fresh(16)
  readonly length = new LengthProbabilities()
  readonly repLength = new LengthProbabilities()
  readonly literals: Uint16Array

  constructor(literalBits: number) {
    this.literals = fresh(0x300 << literalBits)
  }
}

class LengthProbabilities {
  readonly choice = fresh(2)
  readonly low = fresh(16 << 3)
  readonly middle = fresh(16 << 3)
  readonly high = fresh(256)
}

function fresh(count: number): Uint16Array {
  return new Uint16Array(count).fill(BIT_ONE >> 1)
}

class Lzma2 {
  readonly #cursor: ByteCursor
  readonly #out: Output
  #literalContextBits = 0
  #literalPositionMask = 0
  #positionMask = 0
  #probabilities = new Probabilities(0)
  #state = 0
  readonly #reps = new Int32Array(4)
  #range = 0
  #code = 0
  /** Distances reach back to here at most. */
  #dictionaryStart = 0
  #needsDictionaryReset = true
  #needsProperties = true

  constructor(cursor: ByteCursor, out: Output) {
    this.#cursor = cursor
    this.#out = out
  }

  decode(): void {
    const cursor = this.#cursor
    for (let control = cursor.u8(); control !== 0; control = cursor.u8()) {
      if (control === 1 || control >= 0xe0) {
        this.#needsDictionaryReset = false
        this.#dictionaryStart = this.#out.length
      } else if (this.#needsDictionaryReset) throw cursor.error('the first chunk does not reset the dictionary')
      if (control >= 0x80) this.#lzmaChunk(control)
      else if (control <= 2) this.#plainChunk()
      else throw cursor.error(`unknown chunk ${control}`)
    }
  }

  #plainChunk(): void {
    const size = ((this.#cursor.u8() << 8) | this.#cursor.u8()) + 1
    this.#out.reserve(size)
    this.#out.bytes.set(this.#cursor.take(size), this.#out.length)
    this.#out.length += size
  }

  #lzmaChunk(control: number): void {
    const cursor = this.#cursor
    const size = ((control & 0x1f) << 16) + ((cursor.u8() << 8) | cursor.u8()) + 1
    const packed = ((cursor.u8() << 8) | cursor.u8()) + 1
    if (control >= 0xc0) this.#readProperties(cursor.u8())
    else if (this.#needsProperties) throw cursor.error('the first chunk has no properties')
    if (control >= 0xa0) this.#resetState()
    const end = cursor.at + packed
    cursor.skip(1)
    this.#range = 0xffff_ffff
    this.#code = ((cursor.u8() << 24) | (cursor.u8() << 16) | (cursor.u8() << 8) | cursor.u8()) >>> 0
    this.#out.reserve(size)
    this.#run(this.#out.length + size)
    cursor.seek(end)
  }

  #readProperties(byte: number): void {
    if (byte > (4 * 5 + 4) * 9 + 8) throw this.#cursor.error('broken properties')
    this.#needsProperties = false
    this.#literalContextBits = byte % 9
    const rest = Math.floor(byte / 9)
    if (this.#literalContextBits + (rest % 5) > MAX_LITERAL_BITS) throw this.#cursor.error('broken properties')
    this.#literalPositionMask = (1 << (rest % 5)) - 1
    this.#positionMask = (1 << Math.floor(rest / 5)) - 1
  }

  #resetState(): void {
    const positionBits = 32 - Math.clz32(this.#literalPositionMask)
    this.#probabilities = new Probabilities(this.#literalContextBits + positionBits)
    this.#state = 0
    this.#reps.fill(0)
  }

  #run(end: number): void {
    const out = this.#out
    const reps = this.#reps
    const p = this.#probabilities
    while (out.length < end) {
      const positionState = (out.length - this.#dictionaryStart) & this.#positionMask
      const state = this.#state
      if (this.#bit(p.isMatch, (state << 4) + positionState) === 0) {
        this.#literal()
        continue
      }
      let length
      if (this.#bit(p.isRep, state) === 0) {
        reps.copyWithin(1, 0, 3)
        length = this.#length(p.length, positionState)
        this.#state = state < 7 ? 7 : 10
        reps[0] = this.#distance(length)
      } else if (this.#bit(p.isRepG0, state) === 0) {
        if (this.#bit(p.isRep0Long, (state << 4) + positionState) === 0) {
          this.#state = state < 7 ? 9 : 11
          this.#copy(reps[0], 1, end)
          continue
        }
        length = this.#length(p.repLength, positionState)
        this.#state = state < 7 ? 8 : 11
      } else {
        const which = this.#bit(p.isRepG1, state) === 0 ? 1 : 2 + this.#bit(p.isRepG2, state)
        const distance = reps[which]
        reps.copyWithin(1, 0, which)
        reps[0] = distance
        length = this.#length(p.repLength, positionState)
        this.#state = state < 7 ? 8 : 11
      }
      this.#copy(reps[0], length + MATCH_MIN, end)
    }
  }

  #literal(): void {
    const out = this.#out
    const position = out.length - this.#dictionaryStart
    const previous = position === 0 ? 0 : out.bytes[out.length - 1]
    const context =
      ((position & this.#literalPositionMask) << this.#literalContextBits) +
      (previous >> (8 - this.#literalContextBits))
    const probabilities = this.#probabilities.literals
    const base = 0x300 * context
    let symbol = 1
    if (this.#state >= 7) {
      let match = this.#byteBack(this.#reps[0])
      while (symbol < 0x100) {
        const matchBit = (match >> 7) & 1
        match <<= 1
        const bit = this.#bit(probabilities, base + ((1 + matchBit) << 8) + symbol)
        symbol = (symbol << 1) | bit
        if (matchBit !== bit) break
      }
    }
    while (symbol < 0x100) symbol = (symbol << 1) | this.#bit(probabilities, base + symbol)
    out.bytes[out.length++] = symbol
    this.#state = this.#state < 4 ? 0 : this.#state < 10 ? this.#state - 3 : this.#state - 6
  }

  #length(p: LengthProbabilities, positionState: number): number {
    if (this.#bit(p.choice, 0) === 0) return this.#tree(p.low, positionState << 3, 3)
    if (this.#bit(p.choice, 1) === 0) return 8 + this.#tree(p.middle, positionState << 3, 3)
    return 16 + this.#tree(p.high, 0, 8)
  }

  #distance(length: number): number {
    const slot = this.#tree(this.#probabilities.slots, Math.min(length, 3) << 6, 6)
    if (slot < 4) return slot
    const bits = (slot >> 1) - 1
    const distance = (2 | (slot & 1)) << bits
    if (slot < 14) return distance + this.#reverseTree(this.#probabilities.special, distance - slot, bits)
    let direct = 0
    for (let i = 0; i < bits - 4; i++) {
      this.#normalize()
      this.#range = (this.#range >>> 1) >>> 0
      const isOne = this.#code >= this.#range
      if (isOne) this.#code = (this.#code - this.#range) >>> 0
      direct = (direct << 1) | (isOne ? 1 : 0)
    }
    return distance + (direct << 4) + this.#reverseTree(this.#probabilities.align, 0, 4)
  }

  #tree(p: Uint16Array, base: number, bits: number): number {
    let symbol = 1
    for (let i = 0; i < bits; i++) symbol = (symbol << 1) | this.#bit(p, base + symbol)
    return symbol - (1 << bits)
  }

  #reverseTree(p: Uint16Array, base: number, bits: number): number {
    let symbol = 1
    let value = 0
    for (let i = 0; i < bits; i++) {
      const bit = this.#bit(p, base + symbol)
      symbol = (symbol << 1) | bit
      value |= bit << i
    }
    return value
  }

  #byteBack(distance: number): number {
    const from = this.#out.length - distance - 1
    if (from < this.#dictionaryStart) throw this.#cursor.error('a distance reaches before the start')
    return this.#out.bytes[from]
  }

  #copy(distance: number, length: number, end: number): void {
    this.#byteBack(distance)
    const { bytes } = this.#out
    let to = this.#out.length
    if (to + length > end) throw this.#cursor.error('a match reaches past its chunk')
    for (let i = 0; i < length; i++, to++) bytes[to] = bytes[to - distance - 1]
    this.#out.length = to
  }

  #bit(p: Uint16Array, index: number): number {
    this.#normalize()
    const probability = p[index]
    const bound = Math.imul(this.#range >>> 11, probability) >>> 0
    if (this.#code < bound) {
      this.#range = bound
      p[index] = probability + ((BIT_ONE - probability) >> 5)
      return 0
    }
    this.#range = (this.#range - bound) >>> 0
    this.#code = (this.#code - bound) >>> 0
    p[index] = probability - (probability >> 5)
    return 1
  }

  #normalize(): void {
    if (this.#range < TOP) {
      this.#range = (this.#range << 8) >>> 0
      this.#code = ((this.#code << 8) | this.#cursor.u8()) >>> 0
    }
  }
}
