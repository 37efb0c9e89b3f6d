// The list of triggers and their history.
import type { Trigger } from '@hearth/client'
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { BrokerRoute } from '../../../address/broker-route.ts'
import { BROKER } from '../../../address/broker-route.ts'
import { useCommands } from '../../../state/commands.ts'
import { navigate } from '../../../state/navigation.ts'
import { client, handleUnauthorized } from '../../../state/session.ts'
import type { Loaded } from '../../../state/use-loaded.ts'
import { usePolled } from '../../../state/use-polled.ts'

import { Failure } from '../../../widgets/failure.tsx'
import { formatLength } from '../../../widgets/format-time.ts'
import { Icon } from '../../../widgets/controls/icon.tsx'
import { Progress } from '../../../widgets/controls/progress.tsx'
import { RouteLink } from '../../../widgets/route-link.tsx'
import { counted } from '../../../widgets/counted.ts'
import { LiveBar } from '../live-bar.tsx'
import { RemoveTrigger } from './remove-trigger.tsx'
import { triggerDraftOf, specOf } from './trigger-draft.ts'
import { TriggerEditor } from './trigger-editor.tsx'
import { TriggerHistory } from './trigger-history.tsx'

const REFRESH_MS = 5000
const NEW: BrokerRoute = { ...BROKER, tab: 'triggers', edits: true }

export function TriggersTab({ route }: { readonly route: BrokerRoute }): JSX.Element {
  const { edits, trigger: name, paused } = route
  const loaded = usePolled('triggers', { everyMs: REFRESH_MS, isPaused: paused }, signal =>
    client.peek().act('triggers', {}, { signal }),
  )
  useCommands(
    () => (edits ? [] : [{ title: 'Create trigger', group: 'Captures', keys: ['n'], run: () => navigate(NEW) }]),
    [edits],
  )
  const { value } = loaded
  if (value === undefined) {
    if (loaded.error !== undefined) return <Failure error={loaded.error} onRetry={loaded.retry} />
    return <Progress of={loaded} what="Loading triggers" />
  }
  if (!edits) return <TriggerList route={route} loaded={loaded} triggers={value.triggers} />
  const edited = value.triggers.find(each => each.name === name)
  if (name !== '' && edited === undefined) {
    return (
      <div class="reading empty">
        <h1>Trigger not found: {name}</h1>
        <div class="empty-buttons">
          <RouteLink class="button" to={{ ...BROKER, tab: 'triggers' }}>
            Show all triggers
          </RouteLink>
        </div>
      </div>
    )
  }
  return <TriggerEditor key={name} trigger={edited} onChanged={loaded.retry} />
}

interface TriggerListProps {
  readonly route: BrokerRoute
  readonly loaded: Loaded<unknown>
  readonly triggers: readonly Trigger[]
}

function TriggerList({ route, loaded, triggers }: TriggerListProps): JSX.Element {
  const [problem, setProblem] = useState<unknown>(undefined)
  const [removed, setRemoved] = useState<string | undefined>(undefined)
  const enable = (trigger: Trigger, enabled: boolean): void => {
    client
      .peek()
      .act('changeTrigger', specOf({ ...triggerDraftOf(trigger), enabled }), { of: trigger.name })
      .then(
        () => {
          setProblem(undefined)
          loaded.retry()
        },
        (error: unknown) => {
          handleUnauthorized(error)
          setProblem(error)
        },
      )
  }
  return (
    <>
      <LiveBar route={route} error={loaded.error}>
        <span class="muted" role="status">
          {counted(triggers.length, 'trigger')}, {triggers.filter(({ enabled }) => enabled).length} enabled
        </span>
        <span class="spring" />
        <RouteLink class="button primary" to={NEW} title="Create trigger (N)">
          <Icon name="plus" /> Create trigger
        </RouteLink>
      </LiveBar>
      {problem !== undefined && <Failure error={problem} onRetry={() => setProblem(undefined)} />}
      <div class="scrolls broker-triggers" tabIndex={0} role="region" aria-label="Triggers and history">
        {triggers.length === 0 ? (
          <NoTriggers />
        ) : (
          <table class="plain-table broker-table">
            <thead>
              <tr>
                <th scope="col">Enabled</th>
                <th scope="col">Trigger</th>
                <th scope="col">Rule</th>
                <th scope="col">Profile</th>
                <th scope="col" class="number">
                  Cool-down
                </th>
                <th scope="col" class="number">
                  Percentage
                </th>
                <th scope="col" class="number" title="Maximum captures per hour">
                  Budget
                </th>
                <th scope="col">
                  <span class="visually-hidden">Actions</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {triggers.map(trigger => (
                <Row
                  key={trigger.name}
                  trigger={trigger}
                  onEnable={enabled => enable(trigger, enabled)}
                  onRemove={() => setRemoved(trigger.name)}
                />
              ))}
            </tbody>
          </table>
        )}
        <TriggerHistory key={`${route.trigger} ${route.before}`} route={route} />
      </div>
      {removed !== undefined && (
        <RemoveTrigger
          name={removed}
          onClose={() => setRemoved(undefined)}
          onRemoved={() => {
            setRemoved(undefined)
            loaded.retry()
          }}
        />
      )}
    </>
  )
}

interface RowProps {
  readonly trigger: Trigger
  readonly onEnable: (enabled: boolean) => void
  readonly onRemove: () => void
}

function Row({ trigger, onEnable, onRemove }: RowProps): JSX.Element {
  const { name, rule, enabled, type, durationMs, lookBack, spanOnly, description } = trigger
  const { coolDownMs, percentage, budgetPerHour } = trigger
  const profile = `${type}, ${lookBack ? 'past samples or ' : ''}${formatLength(durationMs)}`
  return (
    <tr>
      <td>
        <input
          type="checkbox"
          aria-label={`Enable ${name}`}
          checked={enabled}
          onChange={event => onEnable(event.currentTarget.checked)}
        />
      </td>
      <td title={description}>
        <RouteLink to={{ ...NEW, trigger: name }}>{name}</RouteLink>
      </td>
      <td class="code broker-long" title={rule}>
        {rule}
      </td>
      <td>{spanOnly ? `${profile}, span samples only` : profile}</td>
      <td class="number">{formatLength(coolDownMs)}</td>
      <td class="number">{percentage}%</td>
      <td class="number">{budgetPerHour === undefined ? '' : `${budgetPerHour.toLocaleString('en')}/h`}</td>
      <td>
        <div class="broker-row-ends">
          <RouteLink class="button plain" to={{ ...BROKER, tab: 'triggers', trigger: name }}>
            History
          </RouteLink>
          <button type="button" class="plain icon" aria-label={`Delete ${name}`} title="Delete" onClick={onRemove}>
            <Icon name="close" />
          </button>
        </div>
      </td>
    </tr>
  )
}

function NoTriggers(): JSX.Element {
  return (
    <div class="reading empty">
      <h1>No triggers yet</h1>
      <p>
        A trigger evaluates a rule for each span, log record and data point that arrives. On a match, for example a slow
        request, it captures a profile of the process that sent it.
      </p>
      <div class="empty-buttons">
        <RouteLink class="button primary" to={NEW}>
          Create trigger
        </RouteLink>
      </div>
    </div>
  )
}
