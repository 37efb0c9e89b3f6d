// One of the services that sent something, or all of them.
import type { JSX } from 'preact'
import { Combo } from '../combo.tsx'

export interface ServiceComboProps {
  /** Empty for all. */
  readonly service: string
  readonly services: readonly string[]
  readonly onService: (service: string) => void
  readonly width?: number
}

/** Chosen for all: an empty text would look as if nothing were there. */
const ALL = '\u0000all'

export function ServiceCombo({ service, services, onService, width = 150 }: ServiceComboProps): JSX.Element {
  return (
    <Combo
      label="Service"
      width={width}
      value={service === '' ? ALL : service}
      options={[{ value: ALL, title: 'All services' }, ...services.map(value => ({ value }))]}
      onChoose={chosen => onService(chosen === ALL ? '' : chosen)}
      empty="No services in this time"
    />
  )
}
