// Converts errors of a request to a status and a message.
import { BrokerError, RuleError } from '@hearth/broker'
import { AccessError } from '../../../access/gatekeeper.ts'
import type { CaptureFault } from '../../../broker/captures/capture-request.ts'
import { CaptureError } from '../../../broker/captures/capture-request.ts'
import { kindName } from '../../../broker/telemetry/kind-name.ts'
import { TriggerError } from '../../../broker/triggers/trigger.ts'
import type { QueryFault } from '../../../query/query-error.ts'
import { QueryError } from '../../../query/query-error.ts'
import { TooManyItemsError } from '../../../saved/saved-items.ts'
import { EngineError } from '../../../store/engine.ts'
import type { DebugFileFault } from '../../../symbols/debug-file-error.ts'
import { DebugFileError } from '../../../symbols/debug-file-error.ts'
import { WorkerError } from '../../../workers/worker-error.ts'
import { TimeError } from '../request/times.ts'
import { RequestError } from './request-error.ts'

export interface Failure {
  readonly status: number
  readonly code: string
  readonly message: string
  readonly position?: number
  readonly retryAfterSeconds?: number
  /** Whether the error is the server's and belongs in its log. */
  readonly logged: boolean
}

/** Valid requests that cannot be executed get 422, unlike syntax errors. */
const STATUS: Readonly<Record<QueryFault, number>> = {
  syntax: 400,
  regex: 400,
  argument: 400,
  'mixed-types': 422,
  'mixed-units': 422,
  'mixed-periods': 422,
  'mixed-temporality': 422,
  'too-many-rows': 422,
  'not-found': 404,
}
const DEBUG_FILE_STATUS: Readonly<Record<DebugFileFault, number>> = {
  broken: 422,
  'too-slow': 422,
  'too-large': 413,
  quota: 413,
  closed: 503,
}
const ACCESS_CODES = { 400: 'argument', 401: 'unauthenticated', 403: 'forbidden' } as const
const RETRY_SECONDS = 5

export function failureOf(error: unknown): Failure {
  if (error instanceof QueryError) {
    const { fault, message, position } = error
    const place = position === undefined ? {} : { position }
    return { status: STATUS[fault], code: fault, message, ...place, logged: false }
  }
  if (error instanceof TooManyItemsError) return { status: 422, code: 'limit', message: error.message, logged: false }
  if (error instanceof TimeError) return { status: 400, code: 'argument', message: error.message, logged: false }
  if (error instanceof AccessError) {
    return { status: error.status, code: ACCESS_CODES[error.status], message: error.message, logged: false }
  }
  if (error instanceof RequestError) {
    const { status, code, message, retryAfterSeconds: wait, position } = error
    const more = {
      ...(wait === undefined ? {} : { retryAfterSeconds: wait }),
      ...(position === undefined ? {} : { position }),
    }
    return { status, code, message, ...more, logged: false }
  }
  if (error instanceof DebugFileError) {
    const { code, message } = error
    return { status: DEBUG_FILE_STATUS[code], code, message, logged: false }
  }
  if (error instanceof EngineError) return engineFailure(error)
  if (error instanceof WorkerError) return threadFailure(error)
  const ofBroker = brokerFailure(error)
  if (ofBroker !== undefined) return ofBroker
  const status = error instanceof Error && 'statusCode' in error ? Number(error.statusCode) : 500
  if (status >= 400 && status < 500 && error instanceof Error) {
    return { status, code: 'request', message: error.message, logged: false }
  }
  return FAILED
}

const CAPTURE_STATUS: Readonly<Record<CaptureFault, number>> = { argument: 400, 'not-found': 404, busy: 429 }

/** Errors of captures, triggers, rules and events. */
function brokerFailure(error: unknown): Failure | undefined {
  if (error instanceof RuleError) {
    return { status: 400, code: 'syntax', message: `rule: ${error.what}`, position: error.offset, logged: false }
  }
  if (error instanceof CaptureError) {
    const { fault, message } = error
    const wait = fault === 'busy' ? { retryAfterSeconds: RETRY_SECONDS } : {}
    return { status: CAPTURE_STATUS[fault], code: fault, message, ...wait, logged: false }
  }
  if (error instanceof TriggerError) return { status: 409, code: error.fault, message: error.message, logged: false }
  if (error instanceof BrokerError) {
    const { kind, message, code, retryAfterMs } = error
    const wait = retryAfterMs === undefined ? {} : { retryAfterSeconds: Math.ceil(retryAfterMs / 1000) }
    return { status: code.httpCode, code: kindName(kind), message, ...wait, logged: kind === 'unexpected' }
  }
  return undefined
}

const FAILED: Failure = {
  status: 500,
  code: 'failed',
  message: 'internal server error; see the server log',
  logged: true,
}

/** The query's thread ended. */
function threadFailure({ fault }: WorkerError): Failure {
  switch (fault) {
    case 'memory':
      return LIMIT
    case 'closed':
      return UNAVAILABLE
    case 'crashed':
      return FAILED
  }
}

const LIMIT: Failure = {
  status: 422,
  code: 'limit',
  message: 'the query exceeds its limit of time or memory; use a shorter range or a narrower selector',
  logged: false,
}

const UNAVAILABLE: Failure = {
  status: 503,
  code: 'unavailable',
  message: 'the store is unavailable; retry later',
  retryAfterSeconds: RETRY_SECONDS,
  logged: true,
}

function engineFailure({ fault }: EngineError): Failure {
  switch (fault) {
    case 'limit':
      return LIMIT
    case 'cancelled':
      // No client reads this. Proxies log this number.
      return { status: 499, code: 'cancelled', message: 'the client disconnected', logged: false }
    case 'unavailable':
    case 'contained':
    case 'disk-full':
      return UNAVAILABLE
    case 'corrupt':
    case 'refused':
      return FAILED
  }
}
