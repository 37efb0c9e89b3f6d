// NATS subjects of the mesh: `hearth.KIND.ID…`.
import type { Msg } from '@nats-io/transport-node'

export const PREFIX = 'hearth'

/** Escapes dots, which tenant names may contain and NATS uses as separators. */
export function subject(...parts: readonly string[]): string {
  return [PREFIX, ...parts.map(part => part.replaceAll('.', '%2E'))].join('.')
}

/** The parts of a subject after the kind. */
export function idsIn({ subject: name }: Pick<Msg, 'subject'>): readonly string[] {
  return name
    .split('.')
    .slice(2)
    .map(part => part.replaceAll('%2E', '.'))
}
