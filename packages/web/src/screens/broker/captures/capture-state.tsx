// How a capture is, or one of its instances: a sign and a word.
import type { Capture, CaptureInstance } from '@hearth/client'
import type { JSX } from 'preact'
import { Icon } from '../../../widgets/controls/icon.tsx'

export interface CaptureStateProps {
  readonly state: Capture['state'] | CaptureInstance['state']
}

export function CaptureState({ state }: CaptureStateProps): JSX.Element {
  switch (state) {
    case 'asked':
    case 'running':
      return (
        <span class="capture-state">
          <Icon name="clock" /> {state === 'asked' ? 'asked' : 'running'}
        </span>
      )
    case 'finished':
    case 'answered':
      return (
        <span class="capture-state broker-good">
          <Icon name="check" /> {state}
        </span>
      )
    case 'failed':
      return (
        <span class="capture-state broker-bad">
          <Icon name="warning" /> failed
        </span>
      )
    case 'cancelled':
      return (
        <span class="capture-state muted">
          <Icon name="close" /> cancelled
        </span>
      )
  }
}
