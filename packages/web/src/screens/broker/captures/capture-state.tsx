// The state of a capture or of one of its instances, as an icon and a word.
import type { Capture, CaptureInstance } from '@hearth/client'
import type { JSX } from 'preact'
import { Icon } from '../../../widgets/controls/icon.tsx'

export interface CaptureStateProps {
  readonly state: Capture['state'] | CaptureInstance['state']
}

export function CaptureState({ state }: CaptureStateProps): JSX.Element {
  switch (state) {
    case 'pending':
    case 'running':
      return (
        <span class="capture-state">
          <Icon name="clock" /> {state === 'pending' ? 'Pending' : 'Running'}
        </span>
      )
    case 'finished':
    case 'answered':
      return (
        <span class="capture-state broker-good">
          <Icon name="check" /> {state === 'answered' ? 'Responded' : 'Finished'}
        </span>
      )
    case 'failed':
      return (
        <span class="capture-state broker-bad">
          <Icon name="warning" /> Failed
        </span>
      )
    case 'cancelled':
      return (
        <span class="capture-state muted">
          <Icon name="close" /> Cancelled
        </span>
      )
  }
}
