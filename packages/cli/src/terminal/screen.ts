// The whole terminal, for something that is drawn again and again: on the screen's other page, so that what was there before
// is there afterwards.
import { print } from './output.ts'
import type { Sink } from './terminal.ts'

const OPEN = '\u001b[?1049h\u001b[?25l'
const CLOSE = '\u001b[?25h\u001b[?1049l'
// Terminals that know the pair show what is between them at once; others ignore it.
const BEGIN = '\u001b[?2026h\u001b[H'
const END = '\u001b[?2026l'

export class Screen {
  readonly #sink: Sink
  #open = false

  constructor(sink: Sink) {
    this.#sink = sink
  }

  /** Some pseudo-terminals say 0. */
  get columns(): number {
    return this.#sink.columns || 80
  }

  get rows(): number {
    return this.#sink.rows || 24
  }

  /** Lines must fit: no wider than the columns, no more than the rows. */
  async draw(lines: readonly string[]): Promise<void> {
    const opening = this.#open ? '' : OPEN
    this.#open = true
    // Each line is cleared before it is written: after a full one, clearing would take its last cell.
    const all = [...lines, ...Array<string>(Math.max(0, this.rows - lines.length)).fill('')]
    const cleared = all.map(line => `\u001b[2K${line}`)
    await print(this.#sink, `${opening}${BEGIN}${cleared.join('\r\n')}${END}`)
  }

  async close(): Promise<void> {
    if (!this.#open) return
    this.#open = false
    await print(this.#sink, CLOSE)
  }
}
