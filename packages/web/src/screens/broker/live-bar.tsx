// The bar above a list that updates itself, with a button to pause it.
import type { ComponentChildren, JSX } from 'preact'
import type { BrokerRoute } from '../../address/broker-route.ts'
import { useCommands } from '../../state/commands.ts'
import { navigate } from '../../state/navigation.ts'
import { Icon } from '../../widgets/controls/icon.tsx'

export interface LiveBarProps {
  readonly route: BrokerRoute
  /** The error of the last request, while older data is shown. */
  readonly error: unknown
  readonly children: ComponentChildren
}

export function LiveBar({ route, error, children }: LiveBarProps): JSX.Element {
  const { paused } = route
  const toggle = (): void => navigate({ ...route, paused: !paused }, 'replace')
  useCommands(
    () => [{ title: paused ? 'Resume updates' : 'Pause updates', group: 'Captures', keys: ['p'], run: toggle }],
    [route, paused],
  )
  return (
    <div class="bar">
      {children}
      <button
        type="button"
        aria-pressed={!paused}
        title={paused ? 'Resume updates (P)' : 'Pause updates (P)'}
        onClick={toggle}
      >
        <Icon name="clock" /> {paused ? 'Paused' : 'Live'}
      </button>
      {error !== undefined && (
        <p class="broker-warning" role="alert">
          <Icon name="warning" />
          <span>Showing old data: {error instanceof Error ? error.message : 'server not reachable'}. Retrying.</span>
        </p>
      )}
    </div>
  )
}
