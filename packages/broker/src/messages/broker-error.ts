// The errors of the protocol, sent as JSON in events of the type `io.kubefox.error`.
import type { Component, Event } from './event.ts'
import { CONTENT_TYPE, EVENT_TYPE } from './event-types.ts'
import { responseTo } from './create-event.ts'

export interface BrokerErrorCode {
  readonly code: number
  readonly text: string
  readonly grpcCode: number
  readonly httpCode: number
}

export const BROKER_ERROR_CODES = {
  unexpected: { code: 0, text: 'unexpected error', grpcCode: 2, httpCode: 500 },
  brokerMismatch: { code: 1, text: 'broker mismatch', grpcCode: 9, httpCode: 502 },
  brokerUnavailable: { code: 2, text: 'broker unavailable', grpcCode: 14, httpCode: 502 },
  componentGone: { code: 3, text: 'component gone', grpcCode: 9, httpCode: 502 },
  componentMismatch: { code: 4, text: 'component mismatch', grpcCode: 9, httpCode: 502 },
  contentTooLarge: { code: 5, text: 'content too large', grpcCode: 8, httpCode: 413 },
  invalid: { code: 6, text: 'invalid', grpcCode: 3, httpCode: 400 },
  notFound: { code: 7, text: 'not found', grpcCode: 12, httpCode: 404 },
  portUnavailable: { code: 8, text: 'port unavailable', grpcCode: 14, httpCode: 409 },
  routeInvalid: { code: 9, text: 'route invalid', grpcCode: 3, httpCode: 400 },
  routeNotFound: { code: 10, text: 'route not found', grpcCode: 12, httpCode: 404 },
  timeout: { code: 11, text: 'time out', grpcCode: 4, httpCode: 504 },
  unauthorized: { code: 12, text: 'component unauthorized', grpcCode: 7, httpCode: 403 },
  unknownContentType: { code: 13, text: 'unknown content type', grpcCode: 3, httpCode: 400 },
  unsupportedAdapter: { code: 14, text: 'unsupported adapter', grpcCode: 12, httpCode: 400 },
  /** Defined by Hearth: retry after `retryAfterMs`. */
  busy: { code: 15, text: 'busy', grpcCode: 8, httpCode: 429 },
} as const satisfies Readonly<Record<string, BrokerErrorCode>>

export type BrokerErrorKind = keyof typeof BROKER_ERROR_CODES

const KINDS = Object.keys(BROKER_ERROR_CODES) as readonly BrokerErrorKind[]

export interface BrokerErrorDetails {
  /** The cause, for people. */
  readonly reason?: string | undefined
  /** The delay before a retry. */
  readonly retryAfterMs?: number | undefined
}

export class BrokerError extends Error {
  override readonly name = 'BrokerError'
  readonly kind: BrokerErrorKind
  readonly reason: string | undefined
  readonly retryAfterMs: number | undefined

  constructor(kind: BrokerErrorKind, message: string, details: BrokerErrorDetails = {}) {
    super(message)
    this.kind = kind
    this.reason = details.reason
    this.retryAfterMs = details.retryAfterMs
  }

  get code(): BrokerErrorCode {
    return BROKER_ERROR_CODES[this.kind]
  }

  static from(error: unknown): BrokerError {
    if (error instanceof BrokerError) return error
    return new BrokerError('unexpected', error instanceof Error ? error.message : String(error))
  }
}

/** The JSON of `io.kubefox.error`. */
export function errorContent(error: BrokerError): Uint8Array {
  const { code, grpcCode, httpCode } = error.code
  const content = {
    code,
    grpcCode,
    httpCode,
    msg: error.message,
    ...(error.reason === undefined ? {} : { cause: error.reason }),
    ...(error.retryAfterMs === undefined ? {} : { retry_after_ms: error.retryAfterMs }),
  }
  return new TextEncoder().encode(JSON.stringify(content))
}

/** Returns an error for any content. Unknown codes and invalid JSON give `unexpected`. */
export function readErrorContent(content: Uint8Array): BrokerError {
  const read = parse(content)
  const kind = KINDS.find(each => BROKER_ERROR_CODES[each].code === read['code']) ?? 'unexpected'
  const { msg, cause, retry_after_ms: retry } = read
  return new BrokerError(kind, typeof msg === 'string' && msg !== '' ? msg : BROKER_ERROR_CODES[kind].text, {
    reason: typeof cause === 'string' && cause !== '' ? cause : undefined,
    retryAfterMs: typeof retry === 'number' && retry >= 0 ? retry : undefined,
  })
}

function parse(content: Uint8Array): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(content))
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}

/** The response that the caller gets instead of a result. */
export function errorResponse(request: Event, source: Component, error: BrokerError): Event {
  return responseTo(request, source, {
    type: EVENT_TYPE.error,
    contentType: CONTENT_TYPE.json,
    content: errorContent(error),
  })
}

/** The error in a RESPONSE, or undefined. */
export function errorOf(event: Event): BrokerError | undefined {
  return event.type === EVENT_TYPE.error ? readErrorContent(event.content) : undefined
}
