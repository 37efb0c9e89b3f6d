// Makes text from profiles safe and measurable for a terminal. Names come from whoever recorded the profile: an escape sequence
// in one could move the cursor, change the window title or hide the rest of a table.

// Control characters (C0, DEL, C1), line and paragraph separators, and marks that change the writing direction.
// oxlint-disable-next-line no-control-regex
const UNSAFE = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/g

/** The text on one line, with control characters escaped as `\n`, `\t` or `\u{1b}`. */
export function printable(text: string): string {
  return text.replace(UNSAFE, spelled)
}

/** JSON already escapes C0. DEL, C1 and direction marks are legal in JSON but affect terminals. */
export function printableJson(json: string): string {
  return json.replace(/[\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g, c => `\\u${hex(c).padStart(4, '0')}`)
}

function spelled(character: string): string {
  if (character === '\n') return '\\n'
  if (character === '\r') return '\\r'
  if (character === '\t') return '\\t'
  return `\\u{${hex(character)}}`
}

function hex(character: string): string {
  return character.charCodeAt(0).toString(16)
}

const ASCII_ONLY = /^[\u0020-\u007e]*$/
const NO_WIDTH = /^[\p{Mn}\p{Me}\p{Cf}]$/u
// East Asian wide and fullwidth letters and the emoji blocks: two cells each in every common terminal.
const WIDE =
  /^[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1f64f}\u{1f680}-\u{1f6ff}\u{1f900}-\u{1faff}\u{20000}-\u{3fffd}]$/u

/** The number of terminal cells of a printable text. */
export function cells(text: string): number {
  if (ASCII_ONLY.test(text)) return text.length
  let width = 0
  for (const character of text) width += cellsOf(character)
  return width
}

function cellsOf(character: string): number {
  if (NO_WIDTH.test(character)) return 0
  return WIDE.test(character) ? 2 : 1
}

/** At most `width` cells. A longer text ends with `…`. */
export function clipped(text: string, width: number): string {
  if (cells(text) <= width) return text
  if (width < 1) return ''
  let kept = ''
  let used = 0
  for (const character of text) {
    const wide = cellsOf(character)
    if (used + wide > width - 1) break
    kept += character
    used += wide
  }
  return `${kept}…`
}

/** At most `width` cells. A longer text starts with `…`: the end of a path says most. */
export function clippedStart(text: string, width: number): string {
  if (cells(text) <= width) return text
  if (width < 1) return ''
  const characters = Array.from(text)
  let from = characters.length
  for (let used = 0; from > 0 && used + cellsOf(characters[from - 1]) <= width - 1; from--) {
    used += cellsOf(characters[from - 1])
  }
  return `…${characters.slice(from).join('')}`
}
