// The time range picker: relative to now, or between two absolute times.
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { TimeRange } from '../../address/time-range.ts'
import { isRelative, lengthOf, resolveTime, shifted, timeText, widened } from '../../address/time-range.ts'
import { ZONE, fieldTime } from '../format-time.ts'
import { Icon } from '../controls/icon.tsx'
import { Popover } from '../controls/popover.tsx'
import { LiveControl } from './live-control.tsx'
import { firstTime } from './first-time.ts'
import { RELATIVE, rangeTitle } from './range-title.ts'
import './query-bar.css'

export interface TimeRangePickerProps {
  readonly name: string
  readonly range: TimeRange
  readonly onRange: (range: TimeRange) => void
  readonly onRefresh?: (() => void) | undefined
}

export function TimeRangePicker({ name, range, onRange, onRefresh }: TimeRangePickerProps): JSX.Element {
  const [open, setOpen] = useState(false)
  const choose = (chosen: TimeRange): void => {
    setOpen(false)
    onRange(chosen)
  }
  return (
    <>
      <Popover
        open={open}
        onOpen={setOpen}
        align="right"
        title={`${name}Time range: ${rangeTitle(range)}`}
        label={
          <>
            <Icon name="clock" /> {rangeTitle(range)}
          </>
        }
      >
        <div class="time-panel">
          <ul class="menu-list">
            {RELATIVE.map(([from, title]) => (
              <li key={from}>
                <button type="button" onClick={() => choose({ from, to: 'now' })}>
                  {title}
                  {range.from === from && range.to === 'now' && (
                    <span class="menu-end">
                      <Icon name="check" />
                    </span>
                  )}
                </button>
              </li>
            ))}
            <li>
              <button type="button" onClick={() => void firstTime().then(from => choose({ from, to: 'now' }))}>
                All data
              </button>
            </li>
          </ul>
          <div class="popover-body">
            <AbsoluteForm range={range} onRange={choose} />
          </div>
        </div>
      </Popover>
      {!isRelative(range.from) && (
        <button
          type="button"
          class="icon"
          aria-label="Zoom out"
          title="Zoom out: a range twice as long"
          onClick={() => onRange(widened(range, Date.now()) ?? range)}
        >
          <Icon name="zoomOut" />
        </button>
      )}
      {onRefresh !== undefined && <LiveControl onRefresh={onRefresh} />}
    </>
  )
}

function AbsoluteForm({ range, onRange }: Pick<TimeRangePickerProps, 'range' | 'onRange'>): JSX.Element {
  const now = Date.now()
  const [from, setFrom] = useState(fieldTime(resolveTime(range.from, now) ?? now - 3_600_000))
  const [to, setTo] = useState(fieldTime(resolveTime(range.to, now) ?? now))
  const isValid = Date.parse(from) < Date.parse(to)
  const length = lengthOf(range, now) ?? 3_600_000
  const submit = (event: Event): void => {
    event.preventDefault()
    if (isValid) onRange({ from: timeText(Date.parse(from)), to: timeText(Date.parse(to)) })
  }
  return (
    <form class="time-fields" onSubmit={submit}>
      <label>
        From
        <input type="datetime-local" step="1" value={from} onInput={event => setFrom(event.currentTarget.value)} />
      </label>
      <label>
        To
        <input type="datetime-local" step="1" value={to} onInput={event => setTo(event.currentTarget.value)} />
      </label>
      <p class="muted">{isValid ? `Time zone: ${ZONE}` : 'The end must be after the start'}</p>
      <div class="filter-form">
        <button type="submit" class="primary" disabled={!isValid}>
          Apply
        </button>
        <button type="button" onClick={() => onRange(shifted(range, length, now))}>
          Previous
        </button>
        <button type="button" onClick={() => onRange(shifted(range, -length, now))}>
          Next
        </button>
      </div>
    </form>
  )
}
