// How the Broker is: alone, together with others, or cut off from them.
import type { ComponentsResponse } from '@hearth/client'
import type { JSX } from 'preact'
import { formatMoment } from '../../widgets/format-time.ts'
import { Icon } from '../../widgets/controls/icon.tsx'

export function BrokerState({ broker }: { readonly broker: ComponentsResponse['broker'] }): JSX.Element {
  const { id, mesh } = broker
  if (mesh.kind === 'local') {
    return (
      <span class="muted" title={`Broker ${id}`}>
        · one Broker, alone
      </span>
    )
  }
  if (mesh.connected) {
    const others = mesh.peers.length
    return (
      <span class="broker-good" title={`Broker ${id}; others: ${others === 0 ? 'none' : mesh.peers.join(', ')}`}>
        <Icon name="check" /> NATS connected, {others === 1 ? 'one other Broker' : `${others} other Brokers`}
      </span>
    )
  }
  return (
    <p class="broker-warning" role="alert">
      <Icon name="warning" />
      <span>
        <strong>Cut off from other Brokers</strong> since {formatMoment(Date.parse(mesh.since))}: {mesh.message}. Only
        components that are subscribed here can be asked; everything else goes on.
      </span>
    </p>
  )
}
