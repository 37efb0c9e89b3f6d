// Subjects of NATS that brokers meet at: `hearth.KIND.ID…`.
import type { Msg } from '@nats-io/transport-node'

export const PREFIX = 'hearth'

/** Names of tenants may have dots, which would be more levels. */
export function subject(...parts: readonly string[]): string {
  return [PREFIX, ...parts.map(part => part.replaceAll('.', '%2E'))].join('.')
}

/** What follows the kind in a subject. */
export function idsIn({ subject: name }: Pick<Msg, 'subject'>): readonly string[] {
  return name
    .split('.')
    .slice(2)
    .map(part => part.replaceAll('%2E', '.'))
}
