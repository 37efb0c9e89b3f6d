// Distinguishes folded stacks from other text: every line ends in a number. Together with semicolons this is unique.
import type { Confidence } from '../format.ts'
import { parseHeader } from './header.ts'
import { isBlank, LineTail } from './line-tail.ts'
import { openText } from './text.ts'

const LF = 0x0a
const HASH = 0x23
const SEMICOLON = 0x3b
export const FOLDED_EXTENSIONS: readonly string[] = ['.folded', '.collapsed', '.stacks']
/** Enough lines to decide. A head may consist of 64 KiB of short lines. */
const MAX_LINES = 200

export function detectFolded(head: Uint8Array, fileName = ''): Confidence {
  const text = openText(head)
  const { bytes } = text
  if (bytes.includes(0)) return 'no'
  const tail = new LineTail()
  let stacks = 0
  let nested = 0
  let others = 0
  let from = text.from
  for (let lines = 0; from < bytes.length && lines < MAX_LINES; lines++) {
    const found = bytes.indexOf(LF, from)
    // The last line may be cut off within its name, so it counts only if it is the only one.
    if (found < 0 && stacks + others > 0) break
    let to = found < 0 ? bytes.length : found
    const next = to + 1
    while (to > from && isBlank(bytes[to - 1])) to--
    if (to > from && bytes[from] === HASH) {
      if (parseHeader(bytes, from, to)?.dialect !== undefined) return 'certain'
    } else if (to > from) {
      const kind = tail.parse(bytes, from, to)
      if (kind === 'no-value' || kind === 'no-stack') others++
      else {
        stacks++
        if (bytes.subarray(from, to).includes(SEMICOLON)) nested++
      }
    }
    from = next
  }
  if (bytes.some(isControl)) return nested > 0 && others === 0 ? 'possible' : 'no'
  if (others === 0) return nested > 0 ? 'certain' : stacks > 0 ? 'possible' : 'no'
  // Like flamegraph.pl, the reader skips other lines. Without the name of the file, most lines must be stacks.
  const isNamed = FOLDED_EXTENSIONS.some(extension => fileName.toLowerCase().endsWith(extension))
  return nested >= others || (isNamed && stacks > 0) ? 'possible' : 'no'
}

/** Control characters other than tabs and line breaks do not occur in text. */
function isControl(byte: number): boolean {
  return byte < 0x20 && byte !== 0x09 && byte !== LF && byte !== 0x0d && byte !== 0x1b
}
