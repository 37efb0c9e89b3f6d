// Reasons to reject a debug file. The message is for the sender.

export type SymbolErrorCode = 'broken' | 'too-large' | 'quota' | 'too-slow' | 'closed'

export class SymbolError extends Error {
  override readonly name = 'SymbolError'
  readonly code: SymbolErrorCode

  constructor(code: SymbolErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}
