// The header that says that a response lacks data, because a part of the store is damaged.
import type { FastifyReply } from 'fastify'

/** A sentence about damaged data of a tenant; undefined if there is none. */
export type MissingData = (tenant: string) => string | undefined

const MISSING_DATA_HEADER = 'hearth-missing-data'

/** Returns the sentence that the header has now. */
export function showMissingData(
  reply: FastifyReply,
  tenant: string,
  missingData: MissingData | undefined,
): string | undefined {
  const text = missingData?.(tenant)
  if (text !== undefined) void reply.header(MISSING_DATA_HEADER, text)
  return text
}

/**
 * For a response whose header was sent before all of its data was read. Fails at the end if damage was found meanwhile: the client
 * sees a response that ends too early, and the header of the next try says what is missing.
 */
export async function* completeAsShown<T>(
  pieces: AsyncIterable<T>,
  shown: string | undefined,
  missing: () => string | undefined,
): AsyncGenerator<T> {
  yield* pieces
  const now = missing()
  if (now !== undefined && now !== shown) throw new Error(`found while the response was sent: ${now}`)
}
