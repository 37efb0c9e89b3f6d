// Adds to the header Vary, keeping earlier entries.
import type { FastifyReply } from 'fastify'

export function varyBy(reply: FastifyReply, ...names: readonly string[]): void {
  const before = reply.getHeader('vary')
  const all = [...(before === undefined ? [] : [before].flat().map(String)), ...names]
  void reply.header('vary', all.join(', '))
}
