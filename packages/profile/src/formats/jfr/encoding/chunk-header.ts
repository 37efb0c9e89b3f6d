// Finds the chunks of a recording and reads their headers: 68 bytes, big-endian. Chunks do not depend on each other.
//
//   0 "FLR\0"   4 major, minor   8 size   16 constant pools   24 metadata   32 start ns   40 duration ns
//   48 start ticks   56 ticks per second   64 state, features (bit 0: compressed integers, bit 1: last chunk)
import { FormatError } from '../../format.ts'
import { JFR } from './cursor.ts'

export const HEADER_BYTES = 68
const MAGIC = [0x46, 0x4c, 0x52, 0x00]
const COMPRESSED_INTEGERS = 1
/** The reader stores positions in a chunk as 32-bit integers. Recorders begin a new chunk after about 10 to 100 MB. */
const MAX_CHUNK = 0x7fff_ffff

export interface ChunkHeader {
  readonly from: number
  readonly to: number
  readonly version: string
  /** Relative to the chunk; 0 if the chunk is unfinished. */
  readonly metadata: number
  readonly startNanos: bigint
  readonly durationNanos: bigint
  readonly startTicks: bigint
  readonly ticksPerSecond: bigint
}

export function hasMagic(bytes: Uint8Array, at: number): boolean {
  return MAGIC.every((byte, i) => bytes[at + i] === byte)
}

/** Finds the next possible start of a chunk after damaged bytes. Returns the end of the file if there is none. */
export function findChunk(bytes: Uint8Array, from: number): number {
  for (let at = bytes.indexOf(MAGIC[0], from); at >= 0; at = bytes.indexOf(MAGIC[0], at + 1)) {
    if (hasMagic(bytes, at)) return at
  }
  return bytes.length
}

/** With `lenient`, a truncated or unfinished chunk ends where the next one begins. */
export function readChunkHeader(
  bytes: Uint8Array,
  from: number,
  lenient: boolean,
  broken: (what: string) => void,
): ChunkHeader {
  const fail = (at: number, what: string): never => {
    throw new FormatError(JFR, Math.min(from + at, bytes.length), what)
  }
  if (!hasMagic(bytes, from)) fail(0, 'expected a chunk, but the first bytes are not FLR')
  if (bytes.length - from < HEADER_BYTES) {
    fail(bytes.length - from, `the chunk header of ${HEADER_BYTES} bytes is truncated`)
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset + from, HEADER_BYTES)
  const major = view.getUint16(4)
  const version = `${major}.${view.getUint16(6)}`
  if (major !== 2) fail(4, `unsupported version ${version}; only 2.x is supported`)
  if ((view.getUint8(67) & COMPRESSED_INTEGERS) === 0) {
    fail(64, 'the integers of this chunk are not compressed; only compressed integers are supported')
  }
  const size = view.getBigInt64(8)
  let to = from + Number(size)
  // The JDK counts only the header until it finishes a chunk. `jfr assemble` adds such a chunk to the others.
  const isHeaderOnly = size === BigInt(HEADER_BYTES) && view.getBigInt64(24) === 0n
  if (size < HEADER_BYTES || to > bytes.length || isHeaderOnly) {
    const what =
      size === 0n || isHeaderOnly
        ? `the chunk is unfinished: its size is ${size}`
        : `chunk of ${size} bytes, but only ${bytes.length - from} are left`
    if (!lenient) fail(8, what)
    broken(what)
    to = findChunk(bytes, from + HEADER_BYTES)
  }
  if (to - from > MAX_CHUNK) fail(8, `chunk of ${to - from} bytes; the limit is ${MAX_CHUNK}`)
  let ticksPerSecond = view.getBigInt64(56)
  if (ticksPerSecond <= 0n) {
    const what = `invalid clock rate of ${ticksPerSecond} ticks per second`
    if (!lenient) fail(56, what)
    broken(`${what}; using nanoseconds`)
    ticksPerSecond = 1_000_000_000n
  }
  const metadata = view.getBigInt64(24)
  return {
    from,
    to,
    version,
    metadata: metadata < HEADER_BYTES || metadata >= to - from ? 0 : Number(metadata),
    startNanos: view.getBigInt64(32),
    durationNanos: view.getBigInt64(40),
    startTicks: view.getBigInt64(48),
    ticksPerSecond,
  }
}
