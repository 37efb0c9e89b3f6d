// The whole terminal, for content that is redrawn. Uses the alternate screen, so that the previous content comes back.
import { print } from './output.ts'
import type { Sink } from './terminal.ts'

const OPEN = '\u001b[?1049h\u001b[?25l'
const CLOSE = '\u001b[?25h\u001b[?1049l'
// Terminals that support this pair show the content between them at once. Others ignore it.
const BEGIN = '\u001b[?2026h\u001b[H'
const END = '\u001b[?2026l'

export class Screen {
  readonly #sink: Sink
  #open = false

  constructor(sink: Sink) {
    this.#sink = sink
  }

  /** Some pseudo-terminals report 0. */
  get columns(): number {
    return this.#sink.columns || 80
  }

  get rows(): number {
    return this.#sink.rows || 24
  }

  /** Lines must fit the columns and rows. */
  async draw(lines: readonly string[]): Promise<void> {
    const opening = this.#open ? '' : OPEN
    this.#open = true
    // Each line is cleared before it is written: clearing after a full line would delete its last cell.
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
