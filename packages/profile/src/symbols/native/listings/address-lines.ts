// Text files with one symbol per line: perf maps, kernel symbols and Breakpad files.
import { asciiEnd, decodeUtf8 } from '../../../wire/utf8.ts'
import { ImageBase } from '../byte-cursor.ts'
import { IndexBuilder, NO_NODE } from '../index/index-builder.ts'
import type { IndexColumns } from '../index/symbol-index.ts'
import type { FunctionSymbol } from '../object/object-file.ts'
import { SymbolFileError } from '../symbol-file-error.ts'
import { WorkLimit } from '../work-limit.ts'

const NEWLINE = 0x0a

/** The lines of a text, without the whole text in memory as a string. */
export function* linesOf(bytes: Uint8Array): Generator<string> {
  for (let at = 0; at < bytes.length;) {
    const found = bytes.indexOf(NEWLINE, at)
    const end = found < 0 ? bytes.length : found
    yield decodeUtf8(bytes, at, end > at && bytes[end - 1] === 0x0d ? end - 1 : end)
    at = end + 1
  }
}

/** `START SIZE NAME` in hex, as just-in-time compilers write it to /tmp/perf-PID.map. Later lines replace earlier ones. */
export function indexPerfMap(bytes: Uint8Array): IndexColumns {
  const symbols: AbsoluteSymbol[] = []
  for (const line of linesOf(bytes)) {
    const [, start, size, name] = /^(?:0x)?([0-9a-fA-F]{1,16})\s+(?:0x)?([0-9a-fA-F]{1,16})\s+(.+)$/.exec(line) ?? []
    if (name !== undefined) symbols.push({ name, start: BigInt(`0x${start}`), size: Number(`0x${size}`), rank: 0 })
  }
  if (symbols.length === 0) throw new SymbolFileError('perf map', 'no line has the form START SIZE NAME')
  return indexSymbols(latestFirst(symbols))
}

/** Code is compiled again at addresses that were freed. The later symbol wins where two begin at one address. */
function latestFirst(symbols: readonly AbsoluteSymbol[]): AbsoluteSymbol[] {
  return symbols.map((symbol, rank) => ({ ...symbol, rank }))
}

/** `ADDRESS TYPE NAME [MODULE]`: /proc/kallsyms and System.map. Types t and w are code. */
export function indexKallsyms(bytes: Uint8Array): IndexColumns {
  const symbols: AbsoluteSymbol[] = []
  let hidden = true
  for (const line of linesOf(bytes)) {
    const [, address, type, name, module] = /^([0-9a-fA-F]{8,16}) (\w) (\S+)(?:\s+\[(\S+)\])?$/.exec(line) ?? []
    if (name === undefined || !/[tTwW]/.test(type)) continue
    const start = BigInt(`0x${address}`)
    if (start !== 0n) hidden = false
    // Symbols of modules keep the module's name, as perf shows them.
    symbols.push({
      name: module === undefined ? name : `${name} [${module}]`,
      start,
      size: 0,
      rank: type === 'T' ? 2 : 0,
    })
  }
  if (symbols.length === 0) throw new SymbolFileError('kallsyms', 'no line has the form ADDRESS TYPE NAME')
  if (hidden) {
    throw new SymbolFileError(
      'kallsyms',
      'all addresses are 0; read /proc/kallsyms as root with kernel.kptr_restrict=0',
    )
  }
  return indexSymbols(symbols)
}

interface AbsoluteSymbol {
  readonly name: string
  readonly start: bigint
  readonly size: number
  readonly rank: number
}

/** The largest function of the kernel is below 64 KiB. A last symbol without a size reaches no farther. */
const LAST_SYMBOL_BYTES = 0x10000

function indexSymbols(symbols: readonly AbsoluteSymbol[]): IndexColumns {
  const lowest = symbols.reduce((low, { start }) => (start < low ? start : low), symbols[0].start)
  const base = new ImageBase(lowest)
  const starts = symbols.map(({ start }) => base.distance(start))
  const limit = starts.reduce((high, start) => Math.max(high, start), 0) + LAST_SYMBOL_BYTES
  const builder = new IndexBuilder(base)
  builder.addSymbols(
    symbols.map(({ name, size, rank }, row): FunctionSymbol => ({ name, size, rank, start: starts[row], limit })),
  )
  return builder.finish()
}

/**
 * Breakpad's text form: MODULE, FILE, FUNC with its lines, INLINE calls, PUBLIC symbols. Addresses count from the start of the
 * module.
 */
export function indexBreakpad(bytes: Uint8Array): IndexColumns & { readonly buildId: string } {
  const reader = new BreakpadReader(new WorkLimit('Breakpad', bytes.length))
  for (const line of linesOf(bytes)) reader.readLine(line)
  return { ...reader.finish(), buildId: reader.buildId }
}

export function isBreakpad(bytes: Uint8Array): boolean {
  return asciiEnd(bytes, 0, Math.min(7, bytes.length)) === 7 && decodeUtf8(bytes, 0, 7) === 'MODULE '
}

interface BreakpadRange {
  readonly start: number
  readonly end: number
}

class BreakpadReader {
  buildId = ''
  #isElf = false
  readonly #builder = new IndexBuilder(new ImageBase(0n))
  readonly #files = new Map<string, number>()
  readonly #origins = new Map<string, string>()
  readonly #publics: FunctionSymbol[] = []
  readonly #work: WorkLimit
  #function = ''
  #inlines: (BreakpadRange & { depth: number; origin: string; file: number; line: number })[] = []
  #lines: (BreakpadRange & { line: number; file: number })[] = []

  constructor(work: WorkLimit) {
    this.#work = work
  }

  readLine(line: string): void {
    const [word, ...rest] = line.split(' ')
    switch (word) {
      case 'MODULE':
        this.#isElf = /^(?:Linux|Android)$/i.test(rest[0] ?? '')
        this.buildId = (rest[2] ?? '').toLowerCase()
        return
      case 'FILE':
        this.#files.set(rest[0], this.#builder.string(rest.slice(1).join(' ')))
        return
      case 'INLINE_ORIGIN':
        this.#origins.set(rest[0], rest.slice(1).join(' '))
        return
      case 'FUNC':
      case 'PUBLIC': {
        this.#endFunction()
        const fields = rest[0] === 'm' ? rest.slice(1) : rest
        const isFunction = word === 'FUNC'
        const name = fields.slice(isFunction ? 3 : 2).join(' ')
        const start = Number.parseInt(fields[0], 16)
        const size = isFunction ? Number.parseInt(fields[1], 16) : 0
        if (!Number.isSafeInteger(start) || !Number.isSafeInteger(size)) throw broken(line)
        this.#publics.push({ name, start, size, limit: start + LAST_SYMBOL_BYTES, rank: isFunction ? 2 : 0 })
        if (isFunction) this.#function = name
        return
      }
      case 'INLINE': {
        const [depth, callLine, callFile, origin, ...ranges] = rest
        for (let i = 0; i + 1 < ranges.length; i += 2) {
          const start = Number.parseInt(ranges[i], 16)
          const end = start + Number.parseInt(ranges[i + 1], 16)
          const file = this.#files.get(callFile) ?? 0
          this.#inlines.push({ start, end, depth: Number(depth), origin, file, line: Number(callLine) })
        }
        return
      }
      case 'INFO':
        // The whole GNU build id. The id of the module has only its first 16 bytes, in another order.
        if (this.#isElf && rest[0] === 'CODE_ID' && /^[0-9a-fA-F]+$/.test(rest[1] ?? ''))
          this.buildId = rest[1].toLowerCase()
        return
      case 'STACK':
      case '':
        return
      default: {
        const start = Number.parseInt(word, 16)
        const end = start + Number.parseInt(rest[0], 16)
        if (!Number.isSafeInteger(end) || this.#function === '') throw broken(line)
        this.#lines.push({ start, end, line: Number(rest[1]), file: this.#files.get(rest[2]) ?? 0 })
      }
    }
  }

  finish(): IndexColumns {
    this.#endFunction()
    this.#builder.addSymbols(this.#publics)
    return this.#builder.finish()
  }

  #endFunction(): void {
    if (this.#lines.length > 0) {
      this.#builder.startRun()
      for (const line of this.#lines.toSorted((a, b) => a.start - b.start)) this.#addLine(line)
    }
    this.#lines = []
    this.#inlines = []
    this.#function = ''
  }

  /** A line may span the end of an inlined call, so it is split at their edges. */
  #addLine({ start, end, line, file }: BreakpadRange & { line: number; file: number }): void {
    const edges = [start, end]
    const around = this.#inlines.filter(inline => inline.start < end && inline.end > start)
    for (const inline of around) edges.push(Math.max(start, inline.start), Math.min(end, inline.end))
    edges.sort((a, b) => a - b)
    this.#work.spend(this.#inlines.length + around.length * edges.length)
    for (let i = 0; i + 1 < edges.length; i++) {
      const [from, to] = [edges[i], edges[i + 1]]
      if (from >= to) continue
      const chain = around
        .filter(inline => inline.start <= from && inline.end >= to)
        .toSorted((a, b) => a.depth - b.depth)
      let name = this.#function
      let parent = NO_NODE
      for (const inline of chain) {
        parent = this.#builder.node(this.#builder.function(name, 0), inline.file, inline.line, 0, parent)
        name = this.#origins.get(inline.origin) ?? ''
      }
      this.#builder.interval(from, to, this.#builder.node(this.#builder.function(name, 0), file, line, 0, parent))
    }
  }
}

function broken(line: string): SymbolFileError {
  return new SymbolFileError('Breakpad', `cannot read the line "${line.slice(0, 80)}"`)
}
