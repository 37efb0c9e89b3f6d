// The reason to refuse a request, in the terms of both transports. Senders see the messages, so they say what to do.

/** Codes that gRPC and google.rpc.Status share. */
export const Code = {
  canceled: 1,
  invalidArgument: 3,
  deadlineExceeded: 4,
  notFound: 5,
  permissionDenied: 7,
  resourceExhausted: 8,
  failedPrecondition: 9,
  outOfRange: 11,
  unimplemented: 12,
  internal: 13,
  unavailable: 14,
  unauthenticated: 16,
} as const

export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly http: number
  readonly code: number
  /** A stable word for the metric of refused requests. */
  readonly reason: string
  /** When to retry; undefined if a retry is useless. */
  readonly retryAfterSeconds: number | undefined

  constructor(http: number, code: number, reason: string, message: string, retryAfterSeconds?: number) {
    super(message)
    this.http = http
    this.code = code
    this.reason = reason
    this.retryAfterSeconds = retryAfterSeconds
  }
}

export const undecodable = (message: string): Refusal => new Refusal(400, Code.invalidArgument, 'undecodable', message)

export const badQuery = (message: string): Refusal => new Refusal(400, Code.invalidArgument, 'query', message)

export const tooLarge = (limit: number, what: string): Refusal =>
  new Refusal(
    413,
    Code.resourceExhausted,
    'too-large',
    `${what}; the limit is ${limit} bytes (max-body); send smaller batches`,
  )

export const busy = (reason: string, message: string, retryAfterSeconds: number): Refusal =>
  new Refusal(503, Code.unavailable, reason, message, retryAfterSeconds)

export const unsupported = (message: string): Refusal => new Refusal(415, Code.unimplemented, 'unsupported', message)
