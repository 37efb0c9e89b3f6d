// gunzip in plain TypeScript (RFC 1951, RFC 1952), for hosts without zlib. It is synchronous, limits the size of its output,
// and reports the byte offset of errors.
import { crc32 } from './crc32.ts'
import {
  DISTANCE_SYMBOLS,
  END_OF_BLOCK,
  HuffmanTable,
  KIND,
  LITERAL,
  LITERAL_SYMBOLS,
  PLAIN_SYMBOLS,
  SUB_TABLE,
} from './huffman-table.ts'

export class GzipError extends Error {
  override readonly name = 'GzipError'
  readonly reason: 'limit' | 'corrupt'
  readonly offset: number

  constructor(reason: 'limit' | 'corrupt', offset: number, what: string) {
    super(`gzip: ${what} at byte ${offset}`)
    this.reason = reason
    this.offset = offset
  }
}

/** Decompresses all members of a gzip file. Like gzip, it ignores bytes after the last member; see bytesAfterGzip. */
export function gunzip(bytes: Uint8Array, limit: number): Uint8Array {
  const inflater = new Inflater(bytes, limit)
  readMembers(bytes, inflater)
  return inflater.output.slice(0, inflater.length)
}

/** Returns the number of bytes after the last member of a gzip file with this content. Like gzip, it does not count zeros. */
export function bytesAfterGzip(bytes: Uint8Array, content: Uint8Array): number {
  const end = bytes.length
  const size = int32At(bytes, end - 4) >>> 0
  // The trailer of the only member, or of the last one, is nearly always at the end. Otherwise the end is searched for.
  if (size === content.length) return 0
  const start = content.length - size
  if (start > 0 && crc32(content, start, content.length) === int32At(bytes, end - 8)) return 0
  const from = endOfMembers(bytes, content.length)
  return bytes.subarray(from).some(byte => byte !== 0) ? end - from : 0
}

/** Returns the end of the bytes if they have another content: a codec of the host may be more tolerant. */
function endOfMembers(bytes: Uint8Array, limit: number): number {
  try {
    return readMembers(bytes, new Inflater(bytes, limit))
  } catch (error) {
    if (!(error instanceof GzipError)) throw error
    return bytes.length
  }
}

/** Returns the content before the data is truncated or broken. Throws GzipError only if the limit is exceeded. */
export function gunzipSoFar(bytes: Uint8Array, limit: number): Uint8Array {
  const inflater = new Inflater(bytes, limit)
  try {
    readMembers(bytes, inflater)
  } catch (error) {
    if (!(error instanceof GzipError) || error.reason === 'limit') throw error
  }
  return inflater.output.slice(0, inflater.length)
}

/** Decompresses a zlib stream (RFC 1950), as sections of debug files have it. The trailing checksum is not verified. */
export function inflateZlib(bytes: Uint8Array, limit: number): Uint8Array {
  if (bytes.length < 2) throw truncated(bytes)
  if ((bytes[0] & 0x0f) !== 8 || ((bytes[0] << 8) | bytes[1]) % 31 !== 0) throw corrupt(0, 'no zlib header')
  if ((bytes[1] & 0x20) !== 0) throw corrupt(1, 'preset dictionaries are not supported')
  const inflater = new Inflater(bytes, limit)
  inflater.inflate(2)
  return inflater.output.slice(0, inflater.length)
}

/** Returns the end of the last member. */
function readMembers(bytes: Uint8Array, inflater: Inflater): number {
  let at = 0
  do {
    const start = inflater.length
    at = inflater.inflate(memberBody(bytes, at))
    if (at + 8 > bytes.length) throw truncated(bytes)
    if (crc32(inflater.output, start, inflater.length) !== int32At(bytes, at)) {
      throw corrupt(at, 'the CRC of the content does not match')
    }
    if (((inflater.length - start) | 0) !== int32At(bytes, at + 4)) {
      throw corrupt(at + 4, 'the length of the content does not match')
    }
    at += 8
    // Like gzip, ignore other bytes after the last member, such as padding.
  } while (at + 1 < bytes.length && bytes[at] === 0x1f && bytes[at + 1] === 0x8b)
  return at
}

function corrupt(offset: number, what: string): GzipError {
  return new GzipError('corrupt', offset, what)
}

function truncated(bytes: Uint8Array): GzipError {
  return corrupt(bytes.length, 'unexpected end of input')
}

function int32At(bytes: Uint8Array, at: number): number {
  return bytes[at] | (bytes[at + 1] << 8) | (bytes[at + 2] << 16) | (bytes[at + 3] << 24)
}

// Checks the header of the member at `from` and returns where its deflate stream starts.
function memberBody(bytes: Uint8Array, from: number): number {
  const length = bytes.length
  if ((length > from && bytes[from] !== 0x1f) || (length > from + 1 && bytes[from + 1] !== 0x8b)) {
    throw corrupt(from, 'no gzip header')
  }
  if (from + 10 > length) throw truncated(bytes)
  if (bytes[from + 2] !== 8) throw corrupt(from + 2, `unknown compression method ${bytes[from + 2]}`)
  const flags = bytes[from + 3]
  if ((flags & 0xe0) !== 0) throw corrupt(from + 3, 'reserved header flags are set')
  let at = from + 10
  if ((flags & 4) !== 0) {
    if (at + 2 > length) throw truncated(bytes)
    at += 2 + (bytes[at] | (bytes[at + 1] << 8))
  }
  if ((flags & 8) !== 0) at = afterZero(bytes, at)
  if ((flags & 16) !== 0) at = afterZero(bytes, at)
  if ((flags & 2) !== 0) {
    if (at + 2 > length) throw truncated(bytes)
    const crc = bytes[at] | (bytes[at + 1] << 8)
    if ((crc32(bytes, from, at) & 0xffff) !== crc) throw corrupt(at, 'the CRC of the header does not match')
    at += 2
  }
  if (at > length) throw truncated(bytes)
  return at
}

function afterZero(bytes: Uint8Array, from: number): number {
  const zero = bytes.indexOf(0, from)
  if (zero < 0) throw truncated(bytes)
  return zero + 1
}

// With 10 bits almost every code takes one look-up, and the table (4 kB) stays in the L1 cache.
const LITERAL_ROOT = 10
const DISTANCE_ROOT = 8
const ORDER_ROOT = 7

// The order in which the lengths of the code-length code are sent.
const LENGTH_ORDER = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15] as const

const FIXED_LITERALS = new HuffmanTable(9)
FIXED_LITERALS.build(fixedLengths(), 0, 288, LITERAL_SYMBOLS, false)
const FIXED_DISTANCES = new HuffmanTable(5)
FIXED_DISTANCES.build(new Uint8Array(32).fill(5), 0, 32, DISTANCE_SYMBOLS, false)

function fixedLengths(): Uint8Array {
  return new Uint8Array(288).fill(8, 0, 144).fill(9, 144, 256).fill(7, 256, 280).fill(8, 280)
}

// The longest copy. With this slack the inner loop checks for room once per symbol instead of once per byte.
const SLACK = 258
const MIN_OUTPUT = 1024
// One symbol takes at most four refills of two bytes.
const MAX_SYMBOL_BYTES = 8
// From this length on, copyWithin is faster than a loop.
const LONG_COPY = 48

class Inflater {
  output: Uint8Array
  length = 0
  private readonly bytes: Uint8Array
  private readonly limit: number
  private at = 0
  private hold = 0
  private bits = 0
  private readonly lengths = new Uint8Array(286 + 30)
  private readonly orderLengths = new Uint8Array(19)
  private readonly order = new HuffmanTable(ORDER_ROOT)
  private readonly literals = new HuffmanTable(LITERAL_ROOT)
  private readonly distances = new HuffmanTable(DISTANCE_ROOT)

  constructor(bytes: Uint8Array, limit: number) {
    // Always a plain Uint8Array: a second class (Node's Buffer) would slow down every read of a byte.
    this.bytes = new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length)
    this.limit = limit
    this.output = new Uint8Array(Math.min(limit, Math.max(MIN_OUTPUT, bytes.length * 2)) + SLACK)
  }

  /** Inflates the stream at `from`, appends it to the output, and returns the offset after the stream. */
  inflate(from: number): number {
    this.at = from
    this.hold = 0
    this.bits = 0
    // Copies must not reach before this point, because members are independent.
    const start = this.length
    for (let last = false; !last;) {
      last = this.take(1) === 1
      const type = this.take(2)
      if (type === 0) this.stored()
      else if (type === 1) this.compressed(start, FIXED_LITERALS, FIXED_DISTANCES)
      else if (type === 2) {
        this.readTables()
        this.compressed(start, this.literals, this.distances)
      } else throw corrupt(this.position(), 'invalid block type')
    }
    return this.at
  }

  // The offset of the byte that contains the next bit.
  private position(): number {
    return Math.min(this.bytes.length, this.at - ((this.bits + 7) >>> 3))
  }

  private take(count: number): number {
    while (this.bits < count) {
      if (this.at >= this.bytes.length) throw truncated(this.bytes)
      this.hold |= this.bytes[this.at++] << this.bits
      this.bits += 8
    }
    const value = this.hold & ((1 << count) - 1)
    this.hold >>>= count
    this.bits -= count
    return value
  }

  private stored(): void {
    const { bytes } = this
    this.hold = 0
    this.bits = 0
    const header = this.at
    if (header + 4 > bytes.length) throw truncated(bytes)
    const length = bytes[header] | (bytes[header + 1] << 8)
    if ((length ^ 0xffff) !== (bytes[header + 2] | (bytes[header + 3] << 8))) {
      throw corrupt(header, 'invalid length of a stored block')
    }
    const from = header + 4
    this.reserve(this.length + length)
    const there = Math.min(length, bytes.length - from)
    this.output.set(bytes.subarray(from, from + there), this.length)
    this.length += there
    if (there < length) throw truncated(bytes)
    this.at = from + length
  }

  // Makes room for `length` bytes in total, plus the slack.
  private reserve(length: number): void {
    if (length > this.limit) {
      throw new GzipError('limit', this.position(), `output is larger than the limit of ${this.limit} bytes`)
    }
    if (length + SLACK <= this.output.length) return
    const output = new Uint8Array(Math.min(this.limit, Math.max(length, this.output.length * 2)) + SLACK)
    output.set(this.output.subarray(0, this.length))
    this.output = output
  }

  private readTables(): void {
    const { lengths, orderLengths, order } = this
    const at = this.position()
    const literalCount = this.take(5) + 257
    const distanceCount = this.take(5) + 1
    if (literalCount > 286 || distanceCount > 30) throw corrupt(at, 'too many symbols in a code')
    const orderCount = this.take(4) + 4
    orderLengths.fill(0)
    for (let i = 0; i < orderCount; i++) orderLengths[LENGTH_ORDER[i]] = this.take(3)
    if (!order.build(orderLengths, 0, 19, PLAIN_SYMBOLS, false)) throw corrupt(at, 'invalid code of code lengths')
    const count = literalCount + distanceCount
    for (let i = 0; i < count;) {
      const symbol = this.orderSymbol()
      if (symbol < 16) {
        lengths[i++] = symbol
        continue
      }
      if (symbol === 16 && i === 0) throw corrupt(this.position(), 'code length repeated before the first')
      const value = symbol === 16 ? lengths[i - 1] : 0
      const repeat = symbol === 16 ? 3 + this.take(2) : symbol === 17 ? 3 + this.take(3) : 11 + this.take(7)
      if (i + repeat > count) throw corrupt(this.position(), 'too many code lengths')
      lengths.fill(value, i, i + repeat)
      i += repeat
    }
    if (lengths[256] === 0) throw corrupt(at, 'no code for the end of the block')
    if (!this.literals.build(lengths, 0, literalCount, LITERAL_SYMBOLS, true)) {
      throw corrupt(at, 'invalid code of literals and lengths')
    }
    if (!this.distances.build(lengths, literalCount, count, DISTANCE_SYMBOLS, true)) {
      throw corrupt(at, 'invalid code of distances')
    }
  }

  private orderSymbol(): number {
    while (this.bits < ORDER_ROOT && this.at < this.bytes.length) {
      this.hold |= this.bytes[this.at++] << this.bits
      this.bits += 8
    }
    const entry = this.order.entries[this.hold & ((1 << ORDER_ROOT) - 1)]
    const length = entry & 15
    if (length > this.bits) throw truncated(this.bytes)
    this.hold >>>= length
    this.bits -= length
    return entry >>> 10
  }

  private compressed(start: number, literals: HuffmanTable, distances: HuffmanTable): void {
    const literalEntries = literals.entries
    const literalMask = (1 << literals.rootBits) - 1
    const distanceEntries = distances.entries
    const distanceMask = (1 << distances.rootBits) - 1
    let { bytes, at, hold, bits, output, length: to } = this
    // `at` counts from `shift`. Up to `turn` a complete symbol can be read without checking for the end of the input.
    let shift = 0
    let turn = bytes.length - MAX_SYMBOL_BYTES
    let room = Math.min(output.length - SLACK, this.limit)
    let rest = 0
    // Up to here the output depends on the input alone, not on padding.
    let sound = to
    let fault = ''
    for (;;) {
      if (at > turn) {
        if (shift === 0) {
          // The rest of the input is copied and padded with zeros. Up to four of these bytes may be read ahead.
          rest = bytes.length - at
          const tail = new Uint8Array(rest + 4 + MAX_SYMBOL_BYTES)
          tail.set(bytes.subarray(at))
          shift = at
          bytes = tail
          at = 0
          // From now on, each symbol is checked for whether it consumed padding.
          turn = -1
        } else if (8 * at - bits > 8 * rest) break
        sound = to
      }
      if (to > room) {
        this.length = to
        this.at = shift + at
        this.bits = bits
        this.reserve(to + 1)
        output = this.output
        room = Math.min(output.length - SLACK, this.limit)
      }
      if (bits < 16) {
        hold |= (bytes[at] | (bytes[at + 1] << 8)) << bits
        at += 2
        bits += 16
      }
      let entry = literalEntries[hold & literalMask]
      if ((entry & KIND) === SUB_TABLE) {
        hold = (hold >>> (entry & 15)) | 0
        bits -= entry & 15
        entry = literalEntries[(entry >> 10) + (hold & ((1 << ((entry >> 4) & 15)) - 1))]
      }
      hold = (hold >>> (entry & 15)) | 0
      bits -= entry & 15
      if ((entry & KIND) === LITERAL) {
        output[to++] = entry >> 10
        continue
      }
      if ((entry & KIND) === END_OF_BLOCK) {
        if (entry >> 10 !== 0) fault = 'invalid code of a literal or length'
        break
      }
      if (bits < 16) {
        hold |= (bytes[at] | (bytes[at + 1] << 8)) << bits
        at += 2
        bits += 16
      }
      let extra = (entry >> 4) & 15
      const stop = to + (entry >> 10) + (hold & ((1 << extra) - 1))
      hold = (hold >>> extra) | 0
      bits -= extra
      if (bits < 16) {
        hold |= (bytes[at] | (bytes[at + 1] << 8)) << bits
        at += 2
        bits += 16
      }
      entry = distanceEntries[hold & distanceMask]
      if ((entry & KIND) === SUB_TABLE) {
        hold = (hold >>> (entry & 15)) | 0
        bits -= entry & 15
        entry = distanceEntries[(entry >> 10) + (hold & ((1 << ((entry >> 4) & 15)) - 1))]
      }
      if ((entry & KIND) === END_OF_BLOCK) {
        fault = 'invalid code of a distance'
        break
      }
      hold = (hold >>> (entry & 15)) | 0
      bits -= entry & 15
      if (bits < 16) {
        hold |= (bytes[at] | (bytes[at + 1] << 8)) << bits
        at += 2
        bits += 16
      }
      extra = (entry >> 4) & 15
      const distance = (entry >> 10) + (hold & ((1 << extra) - 1))
      hold = (hold >>> extra) | 0
      bits -= extra
      let from = to - distance
      if (from < start) {
        fault = `copy distance ${distance} exceeds the ${to - start} bytes written`
        break
      }
      const length = stop - to
      if (length >= LONG_COPY && (distance >= length || distance === 1)) {
        if (distance === 1) output.fill(output[from], to, stop)
        else output.copyWithin(to, from, from + length)
        to = stop
      } else {
        while (to < stop) output[to++] = output[from++]
      }
    }
    // Returns the complete bytes that were read ahead.
    this.at = shift + at - (bits >> 3)
    this.bits = bits & 7
    this.hold = hold & ((1 << (bits & 7)) - 1)
    this.length = to
    if (this.at > this.bytes.length) {
      this.length = sound
      throw truncated(this.bytes)
    }
    if (fault !== '') throw corrupt(this.position(), fault)
    this.reserve(to)
  }
}
