// Debug files are untrusted input. Every reader in this folder reports a broken file with this error and nothing else.

export class SymbolFileError extends Error {
  override readonly name = 'SymbolFileError'
  readonly format: string
  /** Byte offset in the section or file that the message names. */
  readonly offset: number | undefined

  constructor(format: string, message: string, offset?: number) {
    super(`${format}: ${message}${offset === undefined ? '' : ` at byte ${offset}`}`)
    this.format = format
    this.offset = offset
  }
}
