// Errors of worker threads themselves, as opposed to errors of the code that runs in them.

export type WorkerFault =
  /** The thread needed more memory than its limit. */
  | 'memory'
  /** The thread ended because of a bug or could not start. */
  | 'crashed'
  /** The pool is closed. */
  | 'closed'

export class WorkerError extends Error {
  override readonly name = 'WorkerError'
  readonly fault: WorkerFault

  constructor(fault: WorkerFault, message: string, options?: ErrorOptions) {
    super(message, options)
    this.fault = fault
  }
}
