// A position in a mangled name. A syntax error is thrown as MangledError, which the demanglers catch. Depth and steps
// are limited, because names come from untrusted files.

export class MangledError extends Error {}

const MAX_STEPS = 1 << 16

export class MangledCursor {
  readonly text: string
  at: number
  readonly #maxDepth: number
  #depth = 0
  #steps = 0

  constructor(text: string, at: number, maxDepth: number) {
    this.text = text
    this.at = at
    this.#maxDepth = maxDepth
  }

  get isAtEnd(): boolean {
    return this.at >= this.text.length
  }

  fail(): never {
    throw new MangledError()
  }

  /** The next character, or the one `ahead` of it; empty at the end. */
  peek(ahead = 0): string {
    return this.text.charAt(this.at + ahead)
  }

  next(): string {
    if (this.isAtEnd) this.fail()
    return this.text[this.at++]
  }

  accept(prefix: string): boolean {
    if (!this.text.startsWith(prefix, this.at)) return false
    this.at += prefix.length
    return true
  }

  expect(prefix: string): void {
    if (!this.accept(prefix)) this.fail()
  }

  /** Parses a part of the grammar that may contain itself. */
  nested<T>(parse: () => T): T {
    if (++this.#depth > this.#maxDepth || ++this.#steps > MAX_STEPS) this.fail()
    const result = parse()
    this.#depth--
    return result
  }

  /** Tries to parse a part of the grammar. If it fails, the cursor moves back. */
  attempt<T>(parse: () => T): T | undefined {
    const { at } = this
    const depth = this.#depth
    if (++this.#steps > MAX_STEPS) this.fail()
    try {
      return parse()
    } catch (error) {
      if (!(error instanceof MangledError) || this.#steps > MAX_STEPS) throw error
      this.at = at
      this.#depth = depth
      return undefined
    }
  }

  isDigit(ahead = 0): boolean {
    const char = this.peek(ahead)
    return char >= '0' && char <= '9'
  }

  digits(): string {
    const from = this.at
    while (this.isDigit()) this.at++
    if (this.at === from) this.fail()
    return this.text.slice(from, this.at)
  }

  /** Reads a length or a count of at most 9 digits. No name is longer. */
  number(): number {
    const digits = this.digits()
    if (digits.length > 9) this.fail()
    return Number(digits)
  }

  take(length: number): string {
    if (this.at + length > this.text.length) this.fail()
    this.at += length
    return this.text.slice(this.at - length, this.at)
  }
}
