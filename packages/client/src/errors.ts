// What may go wrong between a client and a server.

/** The server's word on why there is no answer. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  /** Of HTTP. */
  readonly status: number
  /** Few and stable, as `syntax` or `not-found`. */
  readonly code: string
  /** Where in the selector, in UTF-16 units; undefined where it is not about a place in it. */
  readonly position: number | undefined
  /** When to try again; undefined where trying again is of no use. */
  readonly retryAfterSeconds: number | undefined

  constructor(status: number, code: string, message: string, position?: number, retryAfterSeconds?: number) {
    super(message)
    this.status = status
    this.code = code
    this.position = position
    this.retryAfterSeconds = retryAfterSeconds
  }
}

/** Nobody answers at the address, or not as a Hearth server does. */
export class UnreachableError extends Error {
  override readonly name = 'UnreachableError'
  readonly server: string

  constructor(server: string, message: string, options?: ErrorOptions) {
    super(message, options)
    this.server = server
  }
}
