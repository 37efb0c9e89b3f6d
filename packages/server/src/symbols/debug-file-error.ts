// Reasons to reject a debug file. The message is for the sender.

export type DebugFileFault = 'broken' | 'too-large' | 'quota' | 'too-slow' | 'closed'

export class DebugFileError extends Error {
  override readonly name = 'DebugFileError'
  readonly code: DebugFileFault

  constructor(code: DebugFileFault, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}
