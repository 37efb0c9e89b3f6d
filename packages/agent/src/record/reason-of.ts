// The reason of an error as one line.

/** Attempts at several addresses throw an AggregateError without a message: its first error has the reason. */
export function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return reasonOf(error.errors[0])
  if (error instanceof Error) return error.message === '' ? error.name : error.message
  return String(error)
}
