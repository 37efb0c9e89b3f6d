// The user or trigger that requested a capture.
import type { Capture } from '@hearth/client'
import type { JSX } from 'preact'
import { BROKER } from '../../../address/broker-route.ts'
import { RouteLink } from '../../../widgets/route-link.tsx'
import { triggerOf } from './capture-text.ts'

export function RequestedBy({ capture }: { readonly capture: Pick<Capture, 'by'> }): JSX.Element {
  const trigger = triggerOf(capture)
  if (trigger === undefined) return <>{capture.by}</>
  return (
    <>
      trigger <RouteLink to={{ ...BROKER, tab: 'triggers', trigger }}>{trigger}</RouteLink>
    </>
  )
}
