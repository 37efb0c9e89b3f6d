// A field to select one service or all services.
import { absolute } from '../../address/time-range.ts'
import type { JSX } from 'preact'
import type { TimeRange } from '../../address/time-range.ts'
import { client } from '../../state/session.ts'
import { useLoaded } from '../../state/use-loaded.ts'
import { Combo } from '../controls/combo.tsx'

export interface ServiceComboProps {
  /** Empty for all. */
  readonly service: string
  readonly services: readonly string[]
  readonly onService: (service: string) => void
  readonly width?: number
}

/** The value of the option for all services. An empty value would show an empty field. */
const ALL = '\u0000all'

export function ServiceCombo({ service, services, onService, width = 150 }: ServiceComboProps): JSX.Element {
  return (
    <Combo
      label="Service"
      width={width}
      value={service === '' ? ALL : service}
      options={[{ value: ALL, title: 'All services' }, ...services.map(value => ({ value }))]}
      onChoose={chosen => onService(chosen === ALL ? '' : chosen)}
      empty="No services in this range"
    />
  )
}

/** Returns the services that sent a signal in the time range. */
export function useSignalServices(signal: 'logs' | 'metrics', { from, to }: TimeRange, now: number): readonly string[] {
  const loaded = useLoaded(`${signal}-services:${from}:${to}:${now}`, async abort => {
    const request = { signal, ...absolute({ from, to }, now) }
    return await client.peek().signalAttributeValues('resource:service.name', request, { signal: abort })
  })
  return (loaded.value?.values ?? []).map(({ text }) => text)
}
