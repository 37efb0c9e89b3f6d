// Errors as data that can be sent to another thread. A structured clone would drop their class and their fields.

export interface ErrorData {
  readonly name: string
  readonly message: string
  readonly stack: string | undefined
  /** The error's own fields, such as `fault` and `position`. */
  readonly fields: Readonly<Record<string, unknown>>
  readonly cause: ErrorData | undefined
}

/** Classes of errors that callers recognise. The class is found by the name of its errors. */
export type ErrorKinds = readonly ErrorKind[]

export interface ErrorKind {
  readonly name: string
  readonly prototype: Error
}

const MAX_CAUSES = 5

/** Fields must be plain data; functions and the like are dropped. */
export function errorData(error: unknown, depth = 0): ErrorData {
  if (!(error instanceof Error)) return errorData(new Error(`a value was thrown that is no error: ${String(error)}`))
  const { name, message, stack, cause } = error
  const fields = Object.fromEntries(Object.entries(error).filter(([key, value]) => key !== 'name' && isPlain(value)))
  const inner = cause instanceof Error && depth < MAX_CAUSES ? errorData(cause, depth + 1) : undefined
  return { name, message, stack, fields, cause: inner }
}

/** The error with its class if `kinds` has it. Others stay errors with the same name, message and stack. */
export function errorOf({ name, message, stack, fields, cause }: ErrorData, kinds: ErrorKinds): Error {
  const options = cause === undefined ? {} : { cause: errorOf(cause, kinds) }
  const error = new Error(message, options)
  const kind = kinds.find(each => each.name === name)
  if (kind !== undefined) Object.setPrototypeOf(error, kind.prototype)
  const set = (key: string, value: unknown): void =>
    void Object.defineProperty(error, key, { value, writable: true, configurable: true, enumerable: key in fields })
  for (const [key, value] of Object.entries(fields)) set(key, value)
  set('name', name)
  set('stack', stack)
  return error
}

function isPlain(value: unknown): boolean {
  return value === undefined || ['string', 'number', 'bigint', 'boolean'].includes(typeof value)
}
