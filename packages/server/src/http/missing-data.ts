// The header that says that a response lacks data, because a part of the store is damaged.
import type { FastifyReply } from 'fastify'

/** A sentence about damaged data of a tenant; undefined if there is none. */
export type MissingData = (tenant: string) => string | undefined

const MISSING_DATA_HEADER = 'hearth-missing-data'

export function showMissingData(reply: FastifyReply, tenant: string, missingData: MissingData | undefined): void {
  const text = missingData?.(tenant)
  if (text !== undefined) void reply.header(MISSING_DATA_HEADER, text)
}
