// Selects how the snapshots of a state, such as the live heap, are combined over time.
import type { SnapshotMode } from '@hearth/profile'
import type { JSX } from 'preact'

export const SNAPSHOT_TITLES: Readonly<Record<SnapshotMode, string>> = {
  average: 'Average over time',
  latest: 'Latest',
  maximum: 'Maximum',
  sum: 'Sum of snapshots',
}
const MODES = ['average', 'latest', 'maximum'] as const

export interface SnapshotSelectProps {
  /** A prefix of the label, for screens with two bars. */
  readonly name: string
  readonly mode: SnapshotMode
  readonly onMode: (mode: SnapshotMode) => void
}

export function SnapshotSelect({ name, mode, onMode }: SnapshotSelectProps): JSX.Element {
  const modes: readonly SnapshotMode[] = mode === 'sum' ? [...MODES, 'sum'] : MODES
  return (
    <select
      aria-label={`${name}Aggregation`}
      title="How snapshots of each instance are combined over time. Instances are added up"
      value={mode}
      onChange={event => onMode(event.currentTarget.value as SnapshotMode)}
    >
      {modes.map(each => (
        <option key={each} value={each}>
          {SNAPSHOT_TITLES[each]}
        </option>
      ))}
    </select>
  )
}
