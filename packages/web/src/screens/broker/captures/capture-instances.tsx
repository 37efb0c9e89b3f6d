// Who was asked, who has answered with what, and who failed and why.
import type { Capture, CaptureInstance } from '@hearth/client'
import { formatBytes } from '@hearth/profile'
import type { JSX } from 'preact'
import { durationText } from '../../../address/time-range.ts'
import { millisOf } from '../../../widgets/format-time.ts'
import { NamedProfileLink } from '../../links/named-profile-link.tsx'
import { CaptureState } from './capture-state.tsx'
import { counted } from '../../../widgets/counted.ts'

export interface CaptureInstancesProps {
  readonly capture: Capture
  /** The only one that is shown; empty for all. */
  readonly of?: string
  /** Undefined where nothing is shown yet. */
  readonly onOf?: (instance: string) => void
}

export function CaptureInstances({ capture, of = '', onOf }: CaptureInstancesProps): JSX.Element {
  const several = capture.instances.filter(({ profileIds }) => profileIds.length > 0).length > 1
  return (
    <ul class="capture-instances" aria-label="Instances">
      {capture.instances.map(each => (
        <li key={`${each.broker} ${each.instance}`}>
          <div class="capture-instance">
            <span class="code capture-instance-name" title={`${each.instance}, at the Broker ${each.broker}`}>
              {each.instance}
            </span>
            <CaptureState state={each.state} />
          </div>
          <Told instance={each} />
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
                  Only this one
                </button>
              )}
            </div>
          )}
        </li>
      ))}
    </ul>
  )
}

function Told({ instance }: { readonly instance: CaptureInstance }): JSX.Element {
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
  const facts = [
    version ?? '',
    environment ?? '',
    samples === undefined ? '' : counted(samples, 'sample'),
    frequencyHz === undefined ? '' : `${frequencyHz} Hz`,
    bytes === undefined ? '' : formatBytes(bytes),
    dropped > 0 ? `${counted(dropped, 'sample')} lost` : '',
    truncated === true ? 'with less detail, to stay within the size' : '',
    late === true ? 'came after the capture had ended' : '',
  ].filter(part => part !== '')
  return (
    <>
      {error !== undefined && (
        <p class="broker-bad capture-error">
          <strong>{error.code}</strong>: {error.message}
          {error.retryAfterMs === undefined ? '' : `; it may be asked again in ${durationText(error.retryAfterMs)}`}
        </p>
      )}
      {facts.length > 0 && <p class="muted">{facts.join(' · ')}</p>}
      {notes.map(note => (
        <p key={note} class="capture-note">
          {note}
        </p>
      ))}
    </>
  )
}
