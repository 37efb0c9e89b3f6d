// The text in boxes: as much of a name as fits, and what of it says most. Fitting is arithmetic in a monospaced font, so
// text is measured once a name at most; the last fit of each frame is kept, as most boxes keep their width.
import { shortNameOf, shortestNameOf } from '../../tree/package-name.ts'

export interface Measure {
  /** Pixels. */
  widthOf(text: string): number
}

/** Less of a name than this says nothing. */
const FEWEST = 3

export class Labels {
  readonly #names: readonly string[]
  readonly #short: boolean
  readonly #measure: Measure
  /** Of a letter, where all are as wide. */
  readonly #letter: number | undefined
  readonly #lastRoom: Int32Array
  readonly #lastText: string[]
  readonly #shortNames: string[] = []
  readonly #shortestNames: string[] = []
  /** Of the letters of each name; 0 where it was not asked for yet. */
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

  /** Of a frame, for so many pixels; empty where nothing useful fits. */
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
    if (room < FEWEST) return ''
    if (!this.#short) return fitOf(name, room)
    const short = (this.#shortNames[frame] ??= shortNameOf(name))
    if (short.length <= room) return short
    return fitOf((this.#shortestNames[frame] ??= shortestNameOf(short)), room)
  }

  /** The mean width of the name's letters where they differ, which for wide scripts is twice that of others. */
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

/** Never half of a character that takes two units. */
function cut(text: string, room: number): string {
  const last = text.charCodeAt(room - 2)
  const end = last >= 0xd800 && last < 0xdc00 ? room - 2 : room - 1
  return `${text.slice(0, end)}…`
}

function isLatin(text: string): boolean {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 0x17f) return false
  return true
}
