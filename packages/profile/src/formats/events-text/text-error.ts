// The error for invalid text, with its position. The reader converts it to a FormatError or stops there.

export class TextError extends Error {
  override readonly name = 'TextError'
  readonly offset: number
  readonly what: string

  constructor(offset: number, what: string) {
    super(`${what} at byte ${offset}`)
    this.offset = offset
    this.what = what
  }
}
