// The mappings of a source map: base 64 variable-length numbers, each a difference to the one before it.
//
//   AAAA,IAAM;AACN      `;` ends a line, `,` a segment of 1, 4 or 5 numbers: column, source, line, column, name
import { NONE } from '../../model/columns/brand.ts'
import type { GrowingInts } from '../../model/columns/growing-columns.ts'

/** Line, column, source, original line, original column, name. */
export const MAPPING_STRIDE = 6

export interface MappingOffset {
  readonly line: number
  readonly column: number
  readonly sourceBase: number
  readonly nameBase: number
}

export interface MappingFault {
  readonly what: string
  readonly offset: number
}

const MAX = 0x3fff_ffff
const SEMICOLON = 0x3b
const COMMA = 0x2c
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
const DIGITS = new Int8Array(128).fill(-1)
for (let i = 0; i < ALPHABET.length; i++) DIGITS[ALPHABET.charCodeAt(i)] = i

/** Appends the segments to `rows`. `sources` and `names` are the numbers of sources and names. Returns the fault, if any. */
export function decodeMappings(
  text: string,
  { line: firstLine, column: firstColumn, sourceBase, nameBase }: MappingOffset,
  sources: number,
  names: number,
  rows: GrowingInts,
): MappingFault | undefined {
  let line = firstLine
  // Column, source, original line, original column, name.
  const state = [0, 0, 0, 0, 0]
  let at = 0
  while (at < text.length) {
    const code = text.charCodeAt(at)
    if (code === SEMICOLON) {
      line++
      state[0] = 0
      at++
      continue
    }
    if (code === COMMA) {
      at++
      continue
    }
    const start = at
    let fields = 0
    while (at < text.length && text.charCodeAt(at) !== COMMA && text.charCodeAt(at) !== SEMICOLON) {
      let value = 0
      let shift = 1
      for (;;) {
        const digit = at < text.length ? (DIGITS[text.charCodeAt(at)] ?? -1) : -1
        if (digit < 0) return { what: 'has a character that is not base 64', offset: at }
        at++
        value += (digit & 31) * shift
        if (digit < 32) break
        shift *= 32
        if (shift > 2 ** 30) return { what: 'has a number beyond 32 bits', offset: start }
      }
      if (fields === 5) return { what: 'has a segment of more than five numbers', offset: start }
      const next = state[fields] + (value % 2 === 0 ? value / 2 : -(value - 1) / 2)
      if (next < 0 || next > MAX) return { what: 'points to a negative position', offset: start }
      state[fields++] = next
    }
    if (fields !== 1 && fields !== 4 && fields !== 5)
      return { what: `has a segment of ${fields} numbers`, offset: start }
    const source = sourceBase + state[1]
    const name = nameBase + state[4]
    if (fields > 1 && source >= sources) return { what: 'points to a source that does not exist', offset: start }
    if (fields > 4 && name >= names) return { what: 'points to a name that does not exist', offset: start }
    rows.push(line)
    rows.push(line === firstLine ? state[0] + firstColumn : state[0])
    rows.push(fields > 1 ? source : NONE)
    rows.push(state[2])
    rows.push(state[3])
    rows.push(fields > 4 ? name : NONE)
  }
  return undefined
}
