// Reads the names that Go writes into comments after a sample, one for each frame, inlined ones included:
//   1 @ 0x43e8ce 0x46d0c1
//   #	0x43e8cd	runtime.gopark+0xcd	/usr/local/go/src/runtime/proc.go:364
// The address is that of the call, like the locations that the reader creates from the sample's return addresses.
import type { LegacyProfile } from './legacy-profile.ts'
import type { LineReader } from './line-reader.ts'

// Three patterns that run in linear time. A single pattern would be quadratic in the line length.
const ADDRESS = /^#\s+0x([\da-f]{1,16})\s+/
const OFFSET = /\+0x[\da-f]{1,16}\s+/
const LINE_NUMBER = /:(\d{1,18})$/
/** Names and paths are shorter. The patterns get slow on very long lines. */
const MAX_LINE = 4096

export class CommentSymbols {
  readonly #profile: LegacyProfile
  #lastRow = -1
  #sample = 0

  constructor(profile: LegacyProfile) {
    this.#profile = profile
  }

  /** Reads the current line, which is a comment. */
  read(line: LineReader): void {
    if (line.to - line.from > MAX_LINE) return
    const text = line.text()
    const address = ADDRESS.exec(text)
    const offset = OFFSET.exec(text)
    const lineNumber = LINE_NUMBER.exec(text)
    if (address === null || offset === null || lineNumber === null) return
    const name = text.slice(address[0].length, offset.index)
    const file = text.slice(offset.index + offset[0].length, lineNumber.index)
    const profile = this.#profile
    const whole = BigInt(`0x${address[1]}`)
    const known = profile.addresses.length
    const row = profile.address(Number(BigInt.asIntN(32, whole)), Number(BigInt.asIntN(32, whole >> 32n)))
    if (row === known) return
    const symbol = { name, file, line: BigInt(lineNumber[1]) }
    // Consecutive frames with the same address are inlined. The same address in a later sample repeats known symbols.
    const isInlined = row === this.#lastRow && profile.sampleCount === this.#sample
    if (isInlined) profile.symbols.get(row)?.push(symbol)
    else if (!profile.symbols.has(row)) profile.symbols.set(row, [symbol])
    else return
    this.#lastRow = row
    this.#sample = profile.sampleCount
  }
}
