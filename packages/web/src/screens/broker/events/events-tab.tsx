// A live list of the events that the Broker routes, and a form to send one.
import type { BrokerComponent } from '@hearth/client'
import { formatBytes } from '@hearth/profile'
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { BrokerRoute } from '../../../address/broker-route.ts'
import { EVENT_CATEGORIES } from '../../../address/broker-route.ts'
import { useCommands } from '../../../state/commands.ts'
import { navigate } from '../../../state/navigation.ts'
import { CopyButton } from '../../../widgets/controls/copy-button.tsx'
import { Failure } from '../../../widgets/failure.tsx'
import { formatClock } from '../../../widgets/format-time.ts'
import { counted } from '../../../widgets/counted.ts'
import { SettledField } from '../../../widgets/controls/settled-field.tsx'
import { LiveBar } from '../live-bar.tsx'
import { SendEventForm } from './send-event-form.tsx'
import { SidePanel } from '../side-panel.tsx'
import type { WatchedEvent } from './use-watched-events.ts'
import { MAX_EVENTS, useWatchedEvents } from './use-watched-events.ts'

/** The outcomes of events that arrived. All others are errors. */
const SUCCESSFUL = ['delivered', 'answered', 'kept', 'forwarded', 'handled']

export function EventsTab({ route }: { readonly route: BrokerRoute }): JSX.Element {
  const { paused, sends } = route
  const watched = useWatchedEvents(route, paused)
  const [selected, setSelected] = useState<number | undefined>(undefined)
  const [kept, setKept] = useState<WatchedEvent | undefined>(undefined)
  const change = (to: Partial<BrokerRoute>): void => navigate({ ...route, ...to }, 'replace')
  const select = (seen: WatchedEvent | undefined): void => {
    setSelected(seen?.number)
    // The panel keeps the event even if the list drops it.
    setKept(seen)
    if (sends) change({ sends: false })
  }
  useCommands(
    () => [
      { title: 'Send event', group: 'Captures', keys: ['e'], run: () => change({ sends: true }) },
      { title: 'Close the panel', group: 'Captures', keys: ['Escape'], run: () => select(undefined) },
    ],
    [route],
  )
  const { events, missed, error, isWatching } = watched
  const isOpen = sends || kept !== undefined
  const onKeyDown = (event: KeyboardEvent): void => {
    const by = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    if (by === 0 || events.length === 0) return
    event.preventDefault()
    const at = events.findIndex(({ number }) => number === selected)
    select(events[Math.max(0, Math.min(events.length - 1, at + by))])
  }
  return (
    <>
      <LiveBar route={route} error={undefined}>
        <Filters route={route} onChange={change} />
        <span class="spring" />
        <button type="button" disabled={events.length === 0} onClick={watched.clear}>
          Clear
        </button>
        <button type="button" aria-pressed={sends} title="Send event (E)" onClick={() => change({ sends: !sends })}>
          Send event
        </button>
      </LiveBar>
      {error !== undefined && !paused && <Failure error={error} onRetry={watched.retry} />}
      <div class={isOpen ? 'broker-body with-panel' : 'broker-body'}>
        {events.length === 0 ? (
          <div class="reading empty">
            <h1>{paused ? 'Paused' : isWatching ? 'No events yet' : 'Connecting…'}</h1>
            <p>
              {paused
                ? 'New events are not recorded while the list is paused.'
                : 'New events appear here: captures, telemetry, and events between components.'}
            </p>
          </div>
        ) : (
          <div class="scrolls" tabIndex={0} role="region" aria-label="Events" onKeyDown={onKeyDown}>
            <table class="plain-table broker-table">
              <thead>
                <tr>
                  <th scope="col">Time</th>
                  <th scope="col">Category</th>
                  <th scope="col">Type</th>
                  <th scope="col">From</th>
                  <th scope="col">To</th>
                  <th scope="col">Outcome</th>
                  <th scope="col" class="number">
                    Content
                  </th>
                </tr>
              </thead>
              <tbody>
                {events.map(seen => (
                  <Row
                    key={seen.number}
                    seen={seen}
                    isSelected={seen.number === selected}
                    onSelect={() => select(seen.number === selected ? undefined : seen)}
                  />
                ))}
              </tbody>
            </table>
            <p class="muted broker-note" role="status">
              {counted(events.length, 'event')}
              {events.length === MAX_EVENTS ? ' (latest)' : ''}
              {missed > 0 ? `, ${missed.toLocaleString('en')} dropped` : ''}
            </p>
          </div>
        )}
        {sends ? (
          <SidePanel title="Send event" onClose={() => change({ sends: false })}>
            <SendEventForm />
          </SidePanel>
        ) : (
          kept !== undefined && (
            <SidePanel title={kept.event.type} onClose={() => select(undefined)}>
              <EventJson seen={kept} />
            </SidePanel>
          )
        )}
      </div>
    </>
  )
}

interface FiltersProps {
  readonly route: BrokerRoute
  readonly onChange: (to: Partial<BrokerRoute>) => void
}

function Filters({ route, onChange }: FiltersProps): JSX.Element {
  const field = (key: 'type' | 'source' | 'target' | 'outcome', label: string): JSX.Element => (
    <SettledField
      canClear
      class="event-filter"
      label={label}
      placeholder={label}
      value={route[key]}
      onValue={value => onChange({ [key]: value })}
    />
  )
  return (
    <>
      {field('type', 'Type')}
      <select
        aria-label="Category"
        value={route.category}
        onChange={event => onChange({ category: event.currentTarget.value as BrokerRoute['category'] })}
      >
        {EVENT_CATEGORIES.map(category => (
          <option key={category} value={category}>
            {category === '' ? 'Any category' : category}
          </option>
        ))}
      </select>
      {field('source', 'From')}
      {field('target', 'To')}
      {field('outcome', 'Outcome')}
    </>
  )
}

interface RowProps {
  readonly seen: WatchedEvent
  readonly isSelected: boolean
  readonly onSelect: () => void
}

function Row({ seen, isSelected, onSelect }: RowProps): JSX.Element {
  const { at, event, outcome, error } = seen
  const ms = Date.parse(at)
  return (
    <tr class={isSelected ? 'selected' : undefined}>
      <td>
        {formatClock(ms, true)}
        <span class="muted">.{String(ms % 1000).padStart(3, '0')}</span>
      </td>
      <td class="event-category">{event.category.toLowerCase()}</td>
      <td>
        <button type="button" class="plain broker-name code" aria-expanded={isSelected} onClick={onSelect}>
          {event.type === '' ? '(no type)' : event.type}
        </button>
      </td>
      <td>
        <Component component={event.source} />
      </td>
      <td>
        <Component component={event.target} />
      </td>
      <td class={SUCCESSFUL.includes(outcome) ? undefined : 'broker-bad'} title={error}>
        {outcome}
      </td>
      <td class="number">{event.contentBytes === 0 ? '' : formatBytes(event.contentBytes)}</td>
    </tr>
  )
}

function Component({ component }: { readonly component: BrokerComponent | undefined }): JSX.Element {
  if (component === undefined) return <span class="muted">by rule</span>
  const { type, name, id } = component
  return (
    <span class="event-component" title={[type, name, id].filter(part => part !== '').join(' ')}>
      {name === '' ? type : name} <span class="muted code">{id}</span>
    </span>
  )
}

function EventJson({ seen: { number: _, ...seen } }: { readonly seen: WatchedEvent }): JSX.Element {
  const text = JSON.stringify(seen, undefined, 2)
  return (
    <>
      {seen.error !== undefined && <p class="broker-bad">{seen.error}</p>}
      <div class="broker-panel-buttons">
        <CopyButton text={() => text}>Copy</CopyButton>
      </div>
      <pre class="event-json">{text}</pre>
    </>
  )
}
