// The errors of requests to a server.

/** The server rejected the request. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  /** The HTTP status. */
  readonly status: number
  /** A stable code, such as `syntax` or `not-found`. */
  readonly code: string
  /** The position in the selector in UTF-16 units; undefined if the error is not about the selector. */
  readonly position: number | undefined
  /** When to retry; undefined if a retry does not help. */
  readonly retryAfterSeconds: number | undefined

  constructor(status: number, code: string, message: string, position?: number, retryAfterSeconds?: number) {
    super(message)
    this.status = status
    this.code = code
    this.position = position
    this.retryAfterSeconds = retryAfterSeconds
  }
}

/** There is no server at the address, or it is not a Hearth server. */
export class UnreachableError extends Error {
  override readonly name = 'UnreachableError'
  readonly server: string

  constructor(server: string, message: string, options?: ErrorOptions) {
    super(message, options)
    this.server = server
  }
}
