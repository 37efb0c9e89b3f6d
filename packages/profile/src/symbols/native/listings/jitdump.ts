// jitdump: the code that just-in-time compilers announce to perf, with lines (perf's jitdump specification, version 1).
import { ByteCursor, ImageBase } from '../byte-cursor.ts'
import { IndexBuilder, NO_NODE } from '../index/index-builder.ts'
import type { IndexColumns } from '../index/symbol-index.ts'
import { SYMBOL_TEXTS_PER_BYTE } from '../object/object-file.ts'
import { SymbolFileError } from '../symbol-file-error.ts'

const MAGIC = 0x4a69_5444
const RECORD = { load: 0, move: 1, debugInfo: 2, close: 3 } as const

export function isJitdump(bytes: Uint8Array): boolean {
  return (
    bytes.length >= 40 &&
    (littleEndianMagic(bytes) === MAGIC || new ByteCursor('jitdump', bytes, false).u32() === MAGIC)
  )
}

/** The process whose code the file describes. */
export function processOfJitdump(bytes: Uint8Array): bigint {
  return BigInt(new ByteCursor('jitdump', bytes, littleEndianMagic(bytes) === MAGIC).seek(20).u32())
}

function littleEndianMagic(bytes: Uint8Array): number {
  return new ByteCursor('jitdump', bytes).u32()
}

interface Line {
  readonly address: bigint
  readonly line: number
  readonly file: string
}

interface Code {
  readonly name: string
  readonly size: number
  address: bigint
  readonly lines: readonly Line[]
  readonly loadedAt: bigint
}

/** Code that was moved counts where it was last; code that was compiled again at the same address replaces the older. */
export function indexJitdump(bytes: Uint8Array): IndexColumns {
  if (!isJitdump(bytes)) throw new SymbolFileError('jitdump', 'no jitdump header', 0)
  const cursor = new ByteCursor('jitdump', bytes, littleEndianMagic(bytes) === MAGIC, SYMBOL_TEXTS_PER_BYTE)
  cursor.seek(8)
  cursor.seek(cursor.u32())
  const codes = new Map<bigint, Code>()
  try {
    readCodes(cursor, codes)
  } catch (error) {
    // A program that is still running, or was killed, leaves its last record incomplete.
    if (codes.size === 0 || !(error instanceof SymbolFileError)) throw error
  }
  const all = [...codes.values()]
  const base = new ImageBase(
    all.reduce((low, { address }) => (address < low ? address : low), all.at(0)?.address ?? 0n),
  )
  const builder = new IndexBuilder(base)
  // The latest first: the index keeps what came first where ranges overlap at their start.
  for (const code of all.reverse()) addCode(builder, base, code)
  return builder.finish()
}

function readCodes(cursor: ByteCursor, codes: Map<bigint, Code>): void {
  let lines: { readonly address: bigint; readonly lines: Line[] } | undefined
  while (cursor.at + 16 <= cursor.end) {
    const start = cursor.at
    const id = cursor.u32()
    const size = cursor.u32()
    if (size < 16 || size > cursor.end - start) break
    cursor.skip(8)
    if (id === RECORD.load) {
      cursor.skip(8)
      cursor.skip(8)
      const address = cursor.u64()
      const codeBytes = cursor.size(true)
      const index = cursor.u64()
      const name = cursor.text()
      const known = lines?.address === address ? lines.lines : []
      codes.delete(index)
      codes.set(index, { name, size: codeBytes, address, lines: known, loadedAt: address })
      lines = undefined
    } else if (id === RECORD.move) {
      cursor.skip(8 + 8 + 8)
      const address = cursor.u64()
      cursor.skip(8)
      const moved = codes.get(cursor.u64())
      if (moved !== undefined) moved.address = address
    } else if (id === RECORD.debugInfo) {
      lines = readLines(cursor, start + size)
    } else if (id === RECORD.close) break
    cursor.seek(start + size)
  }
}

function readLines(cursor: ByteCursor, end: number): { address: bigint; lines: Line[] } {
  const address = cursor.u64()
  const count = cursor.size(true)
  const lines: Line[] = []
  let file = ''
  for (let i = 0; i < count && cursor.at + 17 <= end; i++) {
    const place = cursor.u64()
    const line = cursor.u32()
    cursor.skip(4)
    const name = cursor.text()
    // A name of one byte 0xff repeats the one before.
    if (name !== '\ufffd') file = name
    lines.push({ address: place, line, file })
  }
  return { address, lines }
}

function addCode(builder: IndexBuilder, base: ImageBase, code: Code): void {
  const { name, size, address, lines, loadedAt } = code
  const functionRow = builder.function(name, 0)
  const start = base.distance(address)
  const end = start + size
  builder.startRun()
  let at = start
  let node = builder.node(functionRow, 0, 0, 0, NO_NODE)
  for (const { address: place, line, file } of lines.toSorted((a, b) => (a.address < b.address ? -1 : 1))) {
    const from = Math.min(end, Math.max(start, start + Number(place - loadedAt)))
    if (from > at) builder.interval(at, from, node)
    at = Math.max(at, from)
    node = builder.node(functionRow, builder.string(file), line, 0, NO_NODE)
  }
  if (at < end) builder.interval(at, end, node)
}
