// Errors in requests.

/** An invalid request. */
export class RequestError extends Error {
  override readonly name = 'RequestError'
  readonly status: number
  readonly code: string
  readonly retryAfterSeconds: number | undefined
  /** The position in the selector, in UTF-16 units. */
  readonly position: number | undefined

  constructor(status: number, code: string, message: string, retryAfterSeconds?: number, position?: number) {
    super(message)
    this.status = status
    this.code = code
    this.retryAfterSeconds = retryAfterSeconds
    this.position = position
  }
}

/** The error of a path with the name of something that does not exist. `kind` is a capture, a trigger and so on. */
export function unknownName(kind: string, value: string): RequestError {
  return new RequestError(404, 'not-found', `unknown ${kind} ${JSON.stringify(value.slice(0, 80))}`)
}
