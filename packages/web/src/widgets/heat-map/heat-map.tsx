// The heat map as a component: passes cells and marks to the drawing, and reports the selection.
import { useSignalEffect } from '@preact/signals'
import type { JSX } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { HeatMapResponse } from '../../api/profile-source.ts'
import type { HeatMark } from '../../draw/heat-map/heat-map-drawing.ts'
import { HeatMapDrawing } from '../../draw/heat-map/heat-map-drawing.ts'
import { cellStart, cellWithin, cellsIn, rangeOf } from '../../draw/heat-map/heat-map.ts'
import type { HeatRange, HeatView } from '../../address/heat-view.ts'
import { theme } from '../../state/theme.ts'
import { clockOf } from '../times-switch.tsx'
import { cellText, rangeText } from './heat-text.ts'

export interface HeatMapProps {
  readonly map: HeatMapResponse
  readonly heat: HeatView
  /** Stored data starts at its newest part, a file at its start. A selected range has priority. */
  readonly startsAt: 'oldest' | 'newest'
  /** Undefined clears the range. */
  readonly onRange: (range: HeatRange | undefined) => void
}

export function HeatMap({ map, heat, startsAt, onRange }: HeatMapProps): JSX.Element {
  const host = useRef<HTMLDivElement>(null)
  const panel = useRef<HTMLDivElement>(null)
  const drawing = useRef<HeatMapDrawing | undefined>(undefined)
  /** The start of an unfinished range. It is a time, because the map can reload meanwhile. */
  const [started, setStarted] = useState<bigint | undefined>(undefined)
  const start = started === undefined ? undefined : cellWithin(map, started)
  /** The time at the pointer or the keyboard cursor, for the same reason. */
  const [pointedAt, setPointedAt] = useState<bigint | undefined>(undefined)
  const pointed = pointedAt === undefined ? undefined : cellWithin(map, pointedAt)
  const point = (cell: number | undefined): void => setPointedAt(cell === undefined ? undefined : cellStart(map, cell))
  const pick = (cell: number | undefined): void => {
    if (cell === undefined) return clear()
    if (start === undefined) {
      setStarted(cellStart(map, cell))
      onRange(undefined)
      return
    }
    setStarted(undefined)
    onRange(rangeOf(map, start, cell))
  }
  const clear = (): void => {
    setStarted(undefined)
    onRange(undefined)
  }
  const latest = useRef({ point, pick, clear })
  latest.current = { point, pick, clear }

  useLayoutEffect(() => {
    const made = new HeatMapDrawing(host.current!, startsAt, {
      onPoint: cell => latest.current.point(cell),
      onPick: cell => latest.current.pick(cell),
      onClear: () => latest.current.clear(),
    })
    drawing.current = made
    return () => {
      drawing.current = undefined
      made.destroy()
    }
  }, [])
  const values = heat.sums ? map.value : map.count
  useSignalEffect(() => {
    const given = theme.value
    const clock = clockOf(map.origin)
    drawing.current?.setPicture({ grid: map, values, enhanced: heat.enhanced, theme: given, clock })
  })
  useLayoutEffect(() => {
    const clock = clockOf(map.origin)
    drawing.current?.setPicture({ grid: map, values, enhanced: heat.enhanced, theme: theme.peek(), clock })
  }, [map, values, heat.enhanced])
  useLayoutEffect(() => {
    const chosen = heat.range ?? heat.before ?? heat.after
    const cells = chosen && cellsIn(map, chosen)
    if (cells === undefined) return
    drawing.current?.reveal(cells[1])
    drawing.current?.reveal(cells[0])
    // Only once: afterwards the user decides the scroll position.
  }, [])
  useLayoutEffect(() => {
    drawing.current?.setMarks(marksOf(map, heat, start, pointed))
  }, [map, heat, start, pointed])
  useLayoutEffect(() => {
    if (start === undefined) return undefined
    // A click outside of the map cancels an unfinished range.
    const away = (event: MouseEvent): void => {
      if (event.target instanceof Node && panel.current?.contains(event.target) === false) setStarted(undefined)
    }
    addEventListener('click', away)
    return () => removeEventListener('click', away)
  }, [start])

  const at = pointed ?? start
  return (
    <div class="heat-panel" ref={panel}>
      <RowLabels map={map} />
      <div class="heat-host" ref={host} />
      <p class="heat-status" aria-live="polite">
        {at === undefined ? (
          <span class="muted">{hintOf(map, heat)}</span>
        ) : (
          <>
            {cellText(map, at)}
            {start !== undefined && (
              <span class="muted"> · from {rangeText(map, rangeOf(map, start, at))}; click or Enter to end it</span>
            )}
          </>
        )}
      </p>
    </div>
  )
}

function hintOf(map: HeatMapResponse, { range }: HeatView): string {
  if (range !== undefined) return `Selected ${rangeText(map, range)}. Click to start a new range, Esc to clear.`
  return 'Click the start and then the end of a range. With keys: arrows and Enter.'
}

function marksOf(
  map: HeatMapResponse,
  { range, before, after }: HeatView,
  start: number | undefined,
  pointed: number | undefined,
): HeatMark[] {
  const marks: HeatMark[] = []
  const add = (kind: HeatMark['kind'], of: HeatRange | undefined): void => {
    const cells = of && cellsIn(map, of)
    if (cells !== undefined) marks.push({ kind, first: cells[0], last: cells[1] })
  }
  if (start === undefined) add('range', range)
  add('before', before)
  add('after', after)
  if (start !== undefined) {
    const end = pointed ?? start
    marks.push({ kind: 'preview', first: Math.min(start, end), last: Math.max(start, end) })
  }
  return marks
}

/** Labels of the first and the last row, and of each quarter of the column. */
function RowLabels({ map }: { readonly map: HeatMapResponse }): JSX.Element {
  const [unit, scale] = map.column > 60_000_000_000n ? ['s', 1e9] : ['ms', 1e6]
  const labels = [0, 0.25, 0.5, 0.75].map(share => ({
    share,
    text: `${((share * Number(map.column)) / scale).toLocaleString('en')} ${unit}`,
  }))
  return (
    <div class="heat-rows" aria-hidden="true">
      {labels.map(({ share, text }) => (
        <span key={share} style={{ bottom: `${share * 100}%` }}>
          {text}
        </span>
      ))}
    </div>
  )
}
