// The text in boxes: the part of a name that fits. In a monospaced font this is arithmetic, so a name is measured at
// most once. The last text of each frame is cached, because most boxes keep their width.
import { shortNameOf, shortestNameOf } from '../../tree/package-name.ts'

export interface Measure {
  /** Pixels. */
  widthOf(text: string): number
}

/** The minimum number of characters that is worth showing. */
const MIN_CHARACTERS = 3

export class BoxLabels {
  readonly #names: readonly string[]
  readonly #short: boolean
  readonly #measure: Measure
  /** The width of a character in a monospaced font. */
  readonly #letter: number | undefined
  readonly #lastRoom: Int32Array
  readonly #lastText: string[]
  readonly #shortNames: string[] = []
  readonly #shortestNames: string[] = []
  /** The mean character width of each name; 0 if it is not measured yet. */
  readonly #letters: Float64Array

  constructor(names: readonly string[], measure: Measure, short: boolean) {
    this.#names = names
    this.#measure = measure
    this.#short = short
    const [wide, narrow] = [measure.widthOf('MMMMMMMMMM'), measure.widthOf('iiiiiiiiii')]
    this.#letter = Math.abs(wide - narrow) < 0.01 ? wide / 10 : undefined
    this.#letters = new Float64Array(names.length)
    this.#lastRoom = new Int32Array(names.length).fill(-1)
    this.#lastText = new Array<string>(names.length).fill('')
  }

  /** Returns the text of a frame for a width in pixels; empty if it is too narrow. */
  fit(frame: number, pixels: number): string {
    const room = Math.floor(pixels / this.#letterOf(frame))
    if (this.#lastRoom[frame] === room) return this.#lastText[frame]
    const text = this.#fitted(frame, room)
    this.#lastRoom[frame] = room
    this.#lastText[frame] = text
    return text
  }

  #fitted(frame: number, room: number): string {
    const name = this.#names[frame]
    if (name.length <= room) return name
    if (room < MIN_CHARACTERS) return ''
    if (!this.#short) return fitOf(name, room)
    const short = (this.#shortNames[frame] ??= shortNameOf(name))
    if (short.length <= room) return short
    return fitOf((this.#shortestNames[frame] ??= shortestNameOf(short)), room)
  }

  /** The mean character width of a name with characters of different widths. Wide scripts take twice the width. */
  #letterOf(frame: number): number {
    if (this.#letters[frame] !== 0) return this.#letters[frame]
    const name = this.#names[frame]
    const alike = this.#letter !== undefined && isLatin(name) ? this.#letter : undefined
    return (this.#letters[frame] = alike ?? (name === '' ? 8 : this.#measure.widthOf(name) / name.length))
  }
}

function fitOf(text: string, room: number): string {
  return text.length <= room ? text : cut(text, room)
}

/** Never splits a surrogate pair. */
function cut(text: string, room: number): string {
  const last = text.charCodeAt(room - 2)
  const end = last >= 0xd800 && last < 0xdc00 ? room - 2 : room - 1
  return `${text.slice(0, end)}…`
}

function isLatin(text: string): boolean {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 0x17f) return false
  return true
}
