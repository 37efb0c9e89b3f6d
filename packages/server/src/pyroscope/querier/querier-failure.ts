// Errors of queries by Pyroscope's clients: the same faults as in Hearth's own API, with the codes of Connect and gRPC.
import { failureOf } from '../../api/v1/response/failure.ts'
import { AccessError } from '../../access/gatekeeper.ts'
import { Code, Refusal } from '../../receive/refusal.ts'
import { refusalFor } from '../admit-request.ts'

const CODES: Readonly<Record<number, number>> = {
  400: Code.invalidArgument,
  404: Code.notFound,
  422: Code.failedPrecondition,
  429: Code.resourceExhausted,
  499: Code.canceled,
  503: Code.unavailable,
  504: Code.deadlineExceeded,
}
/** Faults of valid queries that exceed a limit. */
const TOO_MUCH = ['limit', 'too-many-rows']

/** `onError` receives errors of the server itself. */
export function querierRefusal(error: unknown, onError: (error: unknown) => void): Refusal {
  if (error instanceof Refusal || error instanceof AccessError) return refusalFor(error, onError)
  const { status, code, message, position, retryAfterSeconds, logged } = failureOf(error)
  if (status === 500 || (status >= 400 && status < 500 && code === 'request')) return refusalFor(error, onError)
  if (logged) onError(error)
  const place = position === undefined || message.includes('at position') ? '' : ` at position ${position}`
  const number = TOO_MUCH.includes(code) ? Code.resourceExhausted : (CODES[status] ?? Code.internal)
  return new Refusal(status, number, 'query', `${message}${place}`, retryAfterSeconds)
}
