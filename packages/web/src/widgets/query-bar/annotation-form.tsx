// Adds a note or a deployment to the time axis of all charts, and lists those of the shown range.
import type { Annotation } from '@hearth/client'
import type { JSX } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { resolveTime, timeText } from '../../address/time-range.ts'
import { context } from '../../state/areas.ts'
import { loadTime } from '../../state/load-time.ts'
import { client, handleUnauthorized } from '../../state/session.ts'
import { useLoaded } from '../../state/use-loaded.ts'
import { addAnnotation, annotationChanges, removeAnnotation } from '../charts/annotations.ts'
import { Icon } from '../controls/icon.tsx'
import { fieldTime, formatMoment, millisOf } from '../format-time.ts'

/** The maximum number of listed annotations. */
const LISTED = 8

export function AnnotationForm(): JSX.Element {
  const { service, from, to } = context.value
  // The end of the shown range, so that a note for now is on the charts at once.
  const now = loadTime.value
  const [text, setText] = useState('')
  const [isDeploy, setDeploy] = useState(false)
  const [time, setTime] = useState(fieldTime(resolveTime(to, now) ?? now))
  const [problem, setProblem] = useState('')
  const field = useRef<HTMLInputElement>(null)
  useLayoutEffect(() => field.current?.focus(), [])
  const loaded = useLoaded(
    `annotations:${service}:${from}:${to}:${loadTime.value}:${annotationChanges.value}`,
    async signal => {
      const start = resolveTime(from, now) ?? 0
      const request = { from: timeText(start), to: 'now+1d', ...(service === '' ? {} : { service }) }
      return (await client.peek().act('annotations', request, { signal })).annotations
    },
  )
  /** Returns whether it succeeded. */
  const tried = async (run: () => Promise<void>): Promise<boolean> => {
    try {
      await run()
      setProblem('')
      return true
    } catch (error) {
      handleUnauthorized(error)
      setProblem(error instanceof Error ? error.message : String(error))
      return false
    }
  }
  const add = async (): Promise<void> => {
    const request = {
      text: text.trim(),
      kind: isDeploy ? ('deploy' as const) : ('note' as const),
      time: timeText(Date.parse(time)),
      ...(service === '' ? {} : { service }),
    }
    if (await tried(() => addAnnotation(request))) setText('')
  }
  const listed = (loaded.value ?? []).slice(-LISTED)
  return (
    <form
      class="popover-body time-fields"
      onSubmit={event => {
        event.preventDefault()
        void add()
      }}
    >
      <input
        type="text"
        aria-label="Text of the note"
        placeholder={service === '' ? 'Note for all services' : `Note for ${service}`}
        maxLength={200}
        value={text}
        ref={field}
        onInput={event => setText(event.currentTarget.value)}
      />
      <label>
        At
        <input type="datetime-local" step="1" value={time} onInput={event => setTime(event.currentTarget.value)} />
      </label>
      <div class="filter-form">
        <label>
          <input type="checkbox" checked={isDeploy} onChange={event => setDeploy(event.currentTarget.checked)} />
          Deployment
        </label>
        <span class="spring" />
        <button type="submit" class="primary" disabled={text.trim() === '' || Number.isNaN(Date.parse(time))}>
          Add
        </button>
      </div>
      {problem !== '' && <p role="alert">{problem}</p>}
      {listed.length > 0 && (
        <ul class="annotation-list" aria-label="Notes on the charts">
          {listed.map(each => (
            <Item key={each.id} annotation={each} onRemove={() => void tried(() => removeAnnotation(each.id))} />
          ))}
        </ul>
      )}
    </form>
  )
}

function Item({
  annotation: { text, time, service },
  onRemove,
}: {
  readonly annotation: Annotation
  readonly onRemove: () => void
}): JSX.Element {
  return (
    <li>
      <span title={service === '' ? text : `${service}: ${text}`}>{text}</span>
      <span class="muted">{formatMoment(millisOf(time))}</span>
      <button type="button" class="plain icon" aria-label={`Delete note ${text}`} onClick={onRemove}>
        <Icon name="close" size={12} />
      </button>
    </li>
  )
}
