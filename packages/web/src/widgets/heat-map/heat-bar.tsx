// The controls and the colour scale of a heat map.
import { formatValue } from '@hearth/profile'
import type { JSX } from 'preact'
import type { HeatMapResponse } from '../../api/profile-source.ts'
import { PAPER, rampColour, shareOf } from '../../draw/heat-map/heat-map-colours.ts'
import type { HeatColumn, HeatView } from '../../address/heat-view.ts'
import { HEAT_COLUMNS, ROW_CHOICES } from '../../address/heat-view.ts'
import { theme } from '../../state/theme.ts'
import { TimesSwitch } from '../times-switch.tsx'

export interface HeatBarProps {
  readonly map: HeatMapResponse | undefined
  readonly heat: HeatView
  readonly onHeat: (heat: HeatView) => void
}

const COLUMN_TITLES: Readonly<Record<HeatColumn, string>> = {
  '100ms': '100 ms',
  '1s': '1 second',
  '10s': '10 seconds',
  '1m': '1 minute',
  '10m': '10 minutes',
  '1h': '1 hour',
}

/** Nanoseconds. */
export const COLUMN_NANOS: Readonly<Record<HeatColumn, bigint>> = {
  '100ms': 100_000_000n,
  '1s': 1_000_000_000n,
  '10s': 10_000_000_000n,
  '1m': 60_000_000_000n,
  '10m': 600_000_000_000n,
  '1h': 3_600_000_000_000n,
}

export function HeatBar({ map, heat, onHeat }: HeatBarProps): JSX.Element {
  return (
    <div class="bar heat-bar" data-rove>
      <label>
        <span class="muted">Column</span>
        <select
          value={heat.column}
          onChange={event => onHeat({ ...heat, column: event.currentTarget.value as HeatColumn })}
        >
          {HEAT_COLUMNS.map(each => (
            <option key={each} value={each}>
              {COLUMN_TITLES[each]}
            </option>
          ))}
        </select>
      </label>
      <label>
        <span class="muted">Rows</span>
        <select value={heat.rows} onChange={event => onHeat({ ...heat, rows: Number(event.currentTarget.value) })}>
          {ROW_CHOICES.map(each => (
            <option key={each} value={each}>
              {each}
            </option>
          ))}
        </select>
      </label>
      <label>
        <span class="muted">Cells</span>
        <select
          value={heat.sums ? 'sums' : 'samples'}
          onChange={event => onHeat({ ...heat, sums: event.currentTarget.value === 'sums' })}
        >
          <option value="samples">samples</option>
          <option value="sums">values</option>
        </select>
      </label>
      <label>
        <span class="muted">Colours</span>
        <select
          value={heat.enhanced ? 'enhanced' : 'normal'}
          onChange={event => onHeat({ ...heat, enhanced: event.currentTarget.value === 'enhanced' })}
        >
          <option value="normal">normal</option>
          <option value="enhanced">enhanced</option>
        </select>
      </label>
      <label title="Skips stacks of idle processors and threads">
        <input
          type="checkbox"
          checked={heat.busy}
          onChange={event => onHeat({ ...heat, busy: event.currentTarget.checked })}
        />
        Hide idle
      </label>
      {map !== undefined && map.column !== COLUMN_NANOS[heat.column] && (
        <span class="muted">range too long; {formatValue(map.column, 'ns')} per column</span>
      )}
      <span class="spring" />
      <TimesSwitch origin={map?.origin} />
      {map !== undefined && map.columns > 0 && <Legend map={map} heat={heat} />}
    </div>
  )
}

const STOPS = [0, 0.125, 0.25, 0.375, 0.5, 0.625, 0.75, 0.875, 1]

function Legend({ map, heat }: { readonly map: HeatMapResponse; readonly heat: HeatView }): JSX.Element {
  let max = 0
  for (const value of heat.sums ? map.value : map.count) if (value > max) max = value
  const colours = STOPS.map(stop => rampColour(theme.value, shareOf(stop * max, max, heat.enhanced)))
  const unit = heat.sums ? formatValue(max, map.unit) : max.toLocaleString('en')
  return (
    <span class="heat-legend">
      <span class="number">0</span>
      <span
        class="heat-ramp"
        role="img"
        aria-label={`Scale from 0 to ${unit}`}
        style={{ backgroundImage: `linear-gradient(90deg, ${PAPER[theme.value]} 4%, ${colours.join(', ')})` }}
      />
      <span class="number">{unit}</span>
    </span>
  )
}
