// Above a list that goes with the time: what there is to say of it, and a way to hold it still.
import type { ComponentChildren, JSX } from 'preact'
import type { BrokerRoute } from '../../address/broker-route.ts'
import { useCommands } from '../../state/commands.ts'
import { navigate } from '../../state/navigation.ts'
import { Icon } from '../../widgets/controls/icon.tsx'

export interface LiveBarProps {
  readonly route: BrokerRoute
  /** Why the last question has no answer, while an older answer is shown. */
  readonly error: unknown
  readonly children: ComponentChildren
}

export function LiveBar({ route, error, children }: LiveBarProps): JSX.Element {
  const { paused } = route
  const toggle = (): void => navigate({ ...route, paused: !paused }, 'replace')
  useCommands(
    () => [{ title: paused ? 'Go on' : 'Hold still', group: 'Broker', keys: ['p'], run: toggle }],
    [route, paused],
  )
  return (
    <div class="bar">
      {children}
      <button
        type="button"
        aria-pressed={!paused}
        title={paused ? 'Show what changes again (P)' : 'Hold what is shown still (P)'}
        onClick={toggle}
      >
        <Icon name="clock" /> {paused ? 'Held still' : 'Live'}
      </button>
      {error !== undefined && (
        <p class="broker-warning" role="alert">
          <Icon name="warning" />
          <span>
            This is as it was: {error instanceof Error ? error.message : 'the server did not answer'}. It is asked for
            again and again.
          </span>
        </p>
      )}
    </div>
  )
}
