// The connection of this Broker to other Brokers.
import type { ComponentsResponse } from '@hearth/client'
import type { JSX } from 'preact'
import { counted } from '../../widgets/counted.ts'
import { formatMoment } from '../../widgets/format-time.ts'
import { Icon } from '../../widgets/controls/icon.tsx'

export function BrokerState({ broker }: { readonly broker: ComponentsResponse['broker'] }): JSX.Element {
  const { id, mesh } = broker
  if (mesh.kind === 'local') {
    return (
      <span class="muted" title={`Broker ${id}`}>
        · single Broker
      </span>
    )
  }
  if (mesh.connected) {
    const others = mesh.peers.length
    return (
      <span class="broker-good" title={`Broker ${id}; others: ${others === 0 ? 'none' : mesh.peers.join(', ')}`}>
        <Icon name="check" /> NATS connected, {counted(others, 'other Broker')}
      </span>
    )
  }
  return (
    <p class="broker-warning" role="alert">
      <Icon name="warning" />
      <span>
        <strong>Disconnected from other Brokers</strong> since {formatMoment(Date.parse(mesh.since))}: {mesh.message}.
        Only components that are connected to this Broker can be captured.
      </span>
    </p>
  )
}
