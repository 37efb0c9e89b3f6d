// The instances of a capture: their state, their results and their errors.
import type { Capture, CaptureInstance } from '@hearth/client'
import { formatBytes } from '@hearth/profile'
import type { JSX } from 'preact'
import { formatLength, millisOf } from '../../../widgets/format-time.ts'
import { NamedProfileLink } from '../../links/named-profile-link.tsx'
import { CaptureState } from './capture-state.tsx'
import { counted } from '../../../widgets/counted.ts'

export interface CaptureInstancesProps {
  readonly capture: Capture
  /** The instance that the flame graph is filtered by; empty for all. */
  readonly of?: string
  /** Undefined if there is no flame graph yet. */
  readonly onOf?: (instance: string) => void
}

export function CaptureInstances({ capture, of = '', onOf }: CaptureInstancesProps): JSX.Element {
  const several = capture.instances.filter(({ profileIds }) => profileIds.length > 0).length > 1
  return (
    <ul class="capture-instances" aria-label="Instances">
      {capture.instances.map(each => (
        <li key={`${each.broker} ${each.instance}`}>
          <div class="capture-instance">
            <span class="code capture-instance-name" title={`${each.instance}, connected to Broker ${each.broker}`}>
              {each.instance}
            </span>
            <CaptureState state={each.state} />
          </div>
          <InstanceResult instance={each} />
          {each.profileIds.length > 0 && (
            <div class="capture-links">
              {each.profileIds.map(id => (
                <NamedProfileLink key={id} id={id} around={millisOf(capture.requested)} />
              ))}
              {onOf !== undefined && several && (
                <button
                  type="button"
                  aria-pressed={of === each.instance}
                  onClick={() => onOf(of === each.instance ? '' : each.instance)}
                >
                  Filter
                </button>
              )}
            </div>
          )}
        </li>
      ))}
    </ul>
  )
}

function InstanceResult({ instance }: { readonly instance: CaptureInstance }): JSX.Element {
  const {
    version,
    environment,
    error,
    samples,
    frequencyHz,
    dropped = 0,
    truncated,
    bytes,
    late,
    notes = [],
  } = instance
  const parts = [
    version ?? '',
    environment ?? '',
    samples === undefined ? '' : counted(samples, 'sample'),
    frequencyHz === undefined ? '' : `${frequencyHz} Hz`,
    bytes === undefined ? '' : formatBytes(bytes),
    dropped > 0 ? `${counted(dropped, 'sample')} dropped` : '',
    truncated === true ? 'truncated to the size limit' : '',
    late === true ? 'arrived after the capture had ended' : '',
  ].filter(part => part !== '')
  return (
    <>
      {error !== undefined && (
        <p class="broker-bad capture-error">
          <strong>{error.code}</strong>: {error.message}
          {error.retryAfterMs === undefined ? '' : `; retry in ${formatLength(error.retryAfterMs)}`}
        </p>
      )}
      {parts.length > 0 && <p class="muted">{parts.join(' · ')}</p>}
      {notes.map(note => (
        <p key={note} class="capture-note">
          {note}
        </p>
      ))}
    </>
  )
}
