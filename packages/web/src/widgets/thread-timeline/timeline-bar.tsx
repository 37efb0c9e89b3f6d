// The controls of a timeline: order, search, threads, types, metrics and zoom.
import type { LaneKind } from '@hearth/profile'
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { TimelineEvents } from '../../api/profile-source.ts'
import type { LanesView } from '../../address/lanes-view.ts'
import type { LaneSort } from '../../timeline/lane-sort.ts'
import { LANE_SORTS } from '../../timeline/lane-sort.ts'
import { Combo } from '../controls/combo.tsx'
import { Icon } from '../controls/icon.tsx'
import { Popover } from '../controls/popover.tsx'
import { TimesSwitch } from '../times-switch.tsx'
import { typeTitle } from '../type-title.ts'

export interface TimelineBarProps {
  readonly events: TimelineEvents
  readonly lanes: LanesView
  readonly onLanes: (lanes: LanesView, how?: 'push' | 'replace') => void
  /** Names of available metrics. */
  readonly metrics: readonly string[]
  readonly isMarking: boolean
  readonly onMarking: (isMarking: boolean) => void
  readonly onZoom: (factor: number) => void
  readonly onAll: () => void
}

const SORT_TITLES: Readonly<Record<LaneSort, string>> = {
  name: 'By name',
  busy: 'Busiest first',
  first: 'By start time',
}

const KIND_TITLES: Readonly<Record<LaneKind, string>> = {
  thread: 'Threads',
  goroutine: 'Goroutines',
  processor: 'Processors',
}

export function TimelineBar(props: TimelineBarProps): JSX.Element {
  const { events, lanes, onLanes, metrics, isMarking, onMarking, onZoom, onAll } = props
  return (
    <div class="bar timeline-bar" data-rove>
      <input
        type="search"
        placeholder="Find threads"
        aria-label="Find threads"
        value={lanes.find}
        onInput={event => onLanes({ ...lanes, find: event.currentTarget.value }, 'replace')}
      />
      {events.laneKinds.length > 1 && (
        <select
          aria-label="Lanes"
          value={events.laneKind}
          onChange={event =>
            onLanes({
              ...lanes,
              kind: event.currentTarget.value as LaneKind,
              hidden: [],
              range: undefined,
              threads: [],
            })
          }
        >
          {events.laneKinds.map(each => (
            <option key={each} value={each}>
              {KIND_TITLES[each]}
            </option>
          ))}
        </select>
      )}
      <select
        aria-label="Sort threads"
        value={lanes.sort}
        onChange={event => onLanes({ ...lanes, sort: event.currentTarget.value as LaneSort })}
      >
        {LANE_SORTS.map(each => (
          <option key={each} value={each}>
            {SORT_TITLES[each]}
          </option>
        ))}
      </select>
      <ThreadsMenu events={events} lanes={lanes} onLanes={onLanes} />
      <TypesMenu events={events} lanes={lanes} onLanes={onLanes} />
      {metrics.length > 0 && (
        <Combo
          label="Add metric"
          placeholder="Add metric"
          width={150}
          value=""
          options={metrics.filter(name => !lanes.metrics.includes(name)).map(value => ({ value }))}
          onChoose={name => onLanes({ ...lanes, metrics: [...lanes.metrics, name] })}
        />
      )}
      {lanes.metrics.map(name => (
        <button
          key={name}
          type="button"
          class="chip"
          aria-label={`Remove metric ${name}`}
          onClick={() => onLanes({ ...lanes, metrics: lanes.metrics.filter(each => each !== name) })}
        >
          {name} <Icon name="close" />
        </button>
      ))}
      <span class="spring" />
      <TimesSwitch origin={events.origin} />
      <button
        type="button"
        aria-pressed={isMarking}
        title="Drag over the lanes to select a time range and threads. Shift and drag always does."
        onClick={() => onMarking(!isMarking)}
      >
        Select range
      </button>
      <button type="button" class="plain icon" aria-label="Zoom in" title="Zoom in (W)" onClick={() => onZoom(2)}>
        +
      </button>
      <button type="button" class="plain icon" aria-label="Zoom out" title="Zoom out (S)" onClick={() => onZoom(0.5)}>
        −
      </button>
      <button type="button" class="plain" title="Show the whole time (0)" onClick={onAll}>
        Show all
      </button>
    </div>
  )
}

/** The maximum number of listed threads. The search finds the others. */
const LISTED = 200

function ThreadsMenu({ events, lanes, onLanes }: Pick<TimelineBarProps, 'events' | 'lanes' | 'onLanes'>): JSX.Element {
  const [open, setOpen] = useState(false)
  const [find, setFind] = useState('')
  const hidden = new Set(lanes.hidden)
  const { threads } = events
  const wanted = find.toLowerCase()
  const found = open ? threads.filter(({ title, group }) => `${title} ${group}`.toLowerCase().includes(wanted)) : []
  const toggle = (key: string, isShown: boolean): void =>
    onLanes({ ...lanes, hidden: isShown ? lanes.hidden.filter(each => each !== key) : [...lanes.hidden, key] })
  return (
    <Popover
      open={open}
      onOpen={setOpen}
      label={hidden.size === 0 ? 'Threads' : `Threads (${hidden.size} hidden)`}
      title="Show or hide threads"
    >
      <div class="popover-body timeline-menu">
        <input
          type="search"
          aria-label="Find thread"
          placeholder="Find thread"
          value={find}
          onInput={event => setFind(event.currentTarget.value)}
        />
        <div class="timeline-menu-buttons">
          <button type="button" onClick={() => onLanes({ ...lanes, hidden: [] })}>
            Show all
          </button>
          <button
            type="button"
            onClick={() =>
              onLanes({ ...lanes, hidden: [...new Set([...lanes.hidden, ...found.map(each => each.key)])] })
            }
          >
            Hide these
          </button>
        </div>
        <ul>
          {found.slice(0, LISTED).map(({ key, title, group }) => (
            <li key={key}>
              <label title={group}>
                <input
                  type="checkbox"
                  checked={!hidden.has(key)}
                  onChange={event => toggle(key, event.currentTarget.checked)}
                />
                {title}
              </label>
            </li>
          ))}
        </ul>
        {found.length > LISTED && (
          <p class="muted">{(found.length - LISTED).toLocaleString('en')} more: type a part of a name</p>
        )}
      </div>
    </Popover>
  )
}

function TypesMenu({ events, lanes, onLanes }: Pick<TimelineBarProps, 'events' | 'lanes' | 'onLanes'>): JSX.Element {
  const [open, setOpen] = useState(false)
  const hidden = new Set(lanes.hiddenTypes)
  const types = [...new Set(events.kinds.map(({ type }) => type))]
  const toggle = (type: string, isShown: boolean): void =>
    onLanes({
      ...lanes,
      hiddenTypes: isShown ? lanes.hiddenTypes.filter(each => each !== type) : [...lanes.hiddenTypes, type],
    })
  return (
    <Popover
      open={open}
      onOpen={setOpen}
      label={hidden.size === 0 ? 'Types' : `Types (${hidden.size} hidden)`}
      title="Show or hide profile types"
    >
      <ul class="popover-body timeline-menu">
        {types.map(type => (
          <li key={type}>
            <label>
              <input
                type="checkbox"
                checked={!hidden.has(type)}
                onChange={event => toggle(type, event.currentTarget.checked)}
              />
              {typeTitle(type)}
            </label>
          </li>
        ))}
      </ul>
    </Popover>
  )
}
