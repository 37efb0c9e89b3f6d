// Responses within a budget of tokens. A response that is cut says so, and how to get the rest.

/** A token of English text and code has about four characters. */
const CHARACTERS_PER_TOKEN = 4
export const DEFAULT_TOKENS = 4000
export const MAX_TOKENS = 25_000

export class BoundedText {
  readonly #lines: string[] = []
  readonly #limit: number
  #length = 0
  #dropped = 0

  constructor(tokens = DEFAULT_TOKENS) {
    // Leaves room for the sentence about what was cut.
    this.#limit = tokens * CHARACTERS_PER_TOKEN - 200
  }

  /** Returns false if the line does not fit. All later lines are dropped too. */
  add(line: string): boolean {
    if (this.#dropped > 0 || this.#length + line.length + 1 > this.#limit) {
      this.#dropped++
      return false
    }
    this.#lines.push(line)
    this.#length += line.length + 1
    return true
  }

  addAll(lines: Iterable<string>): void {
    for (const line of lines) this.add(line)
  }

  /** `advice` says how to get the rest. With `isLimited`, the list ended at the limit of the query. */
  text(advice: string, isLimited = false): string {
    if (this.#dropped === 0)
      return [...this.#lines, ...(isLimited ? [`(There may be more. ${advice})`] : [])].join('\n')
    const shown = this.#lines.length === 0 ? 'The first line alone exceeds the budget. ' : ''
    const count = this.#dropped === 1 ? '1 more line was' : `${this.#dropped} more lines were`
    return [...this.#lines, `(${shown}${count} cut. ${advice})`].join('\n')
  }
}
