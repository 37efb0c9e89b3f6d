// A link to a new capture of a service, shown if a component of the service is connected.
import type { JSX } from 'preact'
import { CAPTURE, EMPTY_DRAFT } from '../../address/broker-route.ts'
import { client } from '../../state/session.ts'
import { useLoaded } from '../../state/use-loaded.ts'
import { Icon } from '../../widgets/controls/icon.tsx'
import { RouteLink } from '../../widgets/route-link.tsx'
import { canCapture } from './can-capture.ts'

export interface CaptureLinkProps {
  /** Empty for no service. */
  readonly service: string
  /** The time that relative times refer to, in milliseconds since 1970. Changes with each load. */
  readonly now: number
}

export function CaptureLink({ service, now }: CaptureLinkProps): JSX.Element {
  const found = useLoaded(service === '' ? undefined : `capture-link:${service}:${now}`, async signal => {
    const { components } = await client.peek().act('components', { service }, { signal })
    return { service, count: components.filter(canCapture).length }
  })
  const { value } = found
  if (value === undefined || value.service !== service || value.count === 0) return <></>
  return (
    <RouteLink
      class="button"
      to={{ ...CAPTURE, draft: { ...EMPTY_DRAFT, service, all: value.count > 1 } }}
      title={`Capture a profile of ${service}`}
    >
      <Icon name="clock" /> Capture now
    </RouteLink>
  )
}
