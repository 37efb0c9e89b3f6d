// The list of connected components by service, with their capabilities and load.
import type { ComponentRow } from '@hearth/client'
import type { JSX } from 'preact'
import { useRef, useState } from 'preact/hooks'
import type { BrokerRoute } from '../../../address/broker-route.ts'
import { BROKER, CAPTURE, EMPTY_DRAFT } from '../../../address/broker-route.ts'
import { useCommands } from '../../../state/commands.ts'
import { navigate } from '../../../state/navigation.ts'
import { client } from '../../../state/session.ts'
import { usePolled } from '../../../state/use-polled.ts'
import { formatLength, formatMoment } from '../../../widgets/format-time.ts'
import { Failure } from '../../../widgets/failure.tsx'
import { Icon } from '../../../widgets/controls/icon.tsx'
import { Progress } from '../../../widgets/controls/progress.tsx'
import { RouteLink } from '../../../widgets/route-link.tsx'
import { BrokerState } from '../broker-state.tsx'
import { ComponentDetails } from './component-details.tsx'
import { counted } from '../../../widgets/counted.ts'
import { EmptyComponents } from './empty-components.tsx'
import type { ComponentGroup } from './group-components.ts'
import { groupComponents } from './group-components.ts'
import { canCapture } from '../../links/can-capture.ts'
import { LiveBar } from '../live-bar.tsx'
import { SidePanel } from '../side-panel.tsx'

const REFRESH_MS = 2000
const COLUMNS = 10
/** The number of rows of a service until the user shows all. Thousands of rows are too slow to render every two seconds. */
const INITIAL_ROWS = 50

export function ComponentsTab({ route }: { readonly route: BrokerRoute }): JSX.Element {
  const { find, paused, component: chosen } = route
  const searchField = useRef<HTMLInputElement>(null)
  const loaded = usePolled('components', { everyMs: REFRESH_MS, isPaused: paused }, signal =>
    client.peek().act('components', {}, { signal }),
  )
  const choose = (component: string): void => navigate({ ...route, component }, 'replace')
  useCommands(
    () => [
      { title: 'Search components', group: 'Captures', keys: ['/'], run: () => searchField.current?.focus() },
      { title: 'Close the details', group: 'Captures', keys: ['Escape'], run: () => choose('') },
    ],
    [route],
  )
  const { value } = loaded
  if (value === undefined) {
    if (loaded.error !== undefined) return <Failure error={loaded.error} onRetry={loaded.retry} />
    return <Progress of={loaded} what="Loading components" />
  }
  const groups = groupComponents(value.components, find)
  const shown = value.components.find(({ component }) => component.id === chosen)
  const services = new Set(value.components.map(({ service }) => service)).size
  return (
    <>
      <LiveBar route={route} error={loaded.error}>
        <span class="muted" role="status">
          {counted(value.components.length, 'component')}, {counted(services, 'service')}
        </span>
        <BrokerState broker={value.broker} />
        <span class="spring" />
        <input
          ref={searchField}
          type="search"
          aria-label="Search components"
          placeholder="Search components"
          spellcheck={false}
          value={find}
          onInput={event => navigate({ ...route, find: event.currentTarget.value }, 'replace')}
        />
      </LiveBar>
      <div class={shown === undefined ? 'broker-body' : 'broker-body with-panel'}>
        {value.components.length === 0 ? (
          <EmptyComponents />
        ) : groups.length === 0 ? (
          <div class="reading empty">
            <h1>No results</h1>
            <p>No component has “{find}” in its name, instance, version or attributes.</p>
            <div class="empty-buttons">
              <button type="button" onClick={() => navigate({ ...route, find: '' }, 'replace')}>
                Clear search
              </button>
            </div>
          </div>
        ) : (
          <div class="scrolls" tabIndex={0} role="region" aria-label="Components">
            <table class="plain-table broker-table">
              <Heads />
              {groups.map(group => (
                <Group key={group.key} group={group} own={value.broker.id} chosen={chosen} onChoose={choose} />
              ))}
            </table>
          </div>
        )}
        {shown !== undefined && (
          <SidePanel title={shown.instance} onClose={() => choose('')}>
            <ComponentDetails row={shown} own={value.broker.id} />
          </SidePanel>
        )}
      </div>
    </>
  )
}

function Heads(): JSX.Element {
  return (
    <thead>
      <tr>
        <th scope="col">Instance</th>
        <th scope="col">Version</th>
        <th scope="col">Connected for</th>
        <th scope="col">Profile types</th>
        <th scope="col" title="How long the component keeps past samples">
          Past samples
        </th>
        <th scope="col" class="number" title="Events waiting to be sent to the component">
          Queued
        </th>
        <th scope="col" class="number" title="Requests without a response yet">
          In flight
        </th>
        <th scope="col" class="number" title="Events received from the component">
          Received
        </th>
        <th scope="col" class="number" title="Events sent to the component">
          Sent
        </th>
        <th scope="col" class="number" title="Messages dropped because the component was too slow">
          Dropped
        </th>
      </tr>
    </thead>
  )
}

interface GroupProps {
  readonly group: ComponentGroup
  /** The id of the Broker that this server runs. */
  readonly own: string
  readonly chosen: string
  readonly onChoose: (component: string) => void
}

function Group({ group, own, chosen, onChoose }: GroupProps): JSX.Element {
  const { service, namespace, environment, rows } = group
  const able = rows.filter(canCapture)
  const [showsAll, setShowsAll] = useState(false)
  const shown = showsAll ? rows : rows.slice(0, INITIAL_ROWS)
  return (
    <tbody>
      <tr class="broker-group">
        <th scope="rowgroup" colSpan={COLUMNS}>
          <div class="broker-group-head">
            <span class="broker-service">{service}</span>
            <span class="muted">
              {[namespace, environment, counted(rows.length, 'instance')].filter(part => part !== '').join(' · ')}
            </span>
            {able.length > 0 && (
              <RouteLink
                class="button"
                to={{ ...CAPTURE, draft: { ...EMPTY_DRAFT, service, environment, all: able.length > 1 } }}
                title={`Capture a profile of ${service}`}
              >
                Capture
              </RouteLink>
            )}
          </div>
        </th>
      </tr>
      {shown.map(row => (
        <Row
          key={`${row.component.brokerId} ${row.component.id}`}
          row={row}
          own={own}
          isChosen={row.component.id === chosen}
          onChoose={onChoose}
        />
      ))}
      {shown.length < rows.length && (
        <tr>
          <td colSpan={COLUMNS}>
            <button type="button" onClick={() => setShowsAll(true)}>
              Show {counted(rows.length - shown.length, 'more instance')}
            </button>
          </td>
        </tr>
      )}
    </tbody>
  )
}

interface RowProps extends Pick<GroupProps, 'own' | 'onChoose'> {
  readonly row: ComponentRow
  readonly isChosen: boolean
}

function Row({ row, own, isChosen, onChoose }: RowProps): JSX.Element {
  const { component, instance, profileTypes, lookBackSeconds, since, load, remote, capturing } = row
  const started = Date.parse(since)
  return (
    <tr class={isChosen ? 'selected' : undefined}>
      <td>
        <button
          type="button"
          class="plain broker-name code"
          aria-expanded={isChosen}
          title={`Show details of ${instance}`}
          onClick={() => onChoose(isChosen ? '' : component.id)}
        >
          {instance}
        </button>
        {capturing && (
          <RouteLink class="broker-tag busy" to={{ ...BROKER, tab: 'captures' }}>
            <Icon name="clock" size={12} /> capturing
          </RouteLink>
        )}
        {remote && (
          <span class="broker-tag" title={`Connected to Broker ${component.brokerId}, not to ${own}`}>
            Broker {component.brokerId.slice(0, 8)}
          </span>
        )}
      </td>
      <td class="code">{row.attributes['service.version'] ?? component.hash}</td>
      <td title={`since ${formatMoment(started)}`}>
        {formatLength(Math.floor(Math.max(0, Date.now() - started) / 1000) * 1000)}
      </td>
      <td>
        {!canCapture(row) ? (
          <span class="muted">none ({component.type})</span>
        ) : profileTypes.length === 0 ? (
          <span class="muted">unknown</span>
        ) : (
          profileTypes.join(', ')
        )}
      </td>
      <td>{lookBackSeconds === undefined ? <span class="muted">none</span> : formatLength(lookBackSeconds * 1000)}</td>
      <td class="number">{load.queued.toLocaleString('en')}</td>
      <td class="number">{load.inFlight.toLocaleString('en')}</td>
      <td class="number">{load.received.toLocaleString('en')}</td>
      <td class="number">{load.sent.toLocaleString('en')}</td>
      <td class={load.dropped > 0 ? 'number broker-bad' : 'number'}>{load.dropped.toLocaleString('en')}</td>
    </tr>
  )
}
