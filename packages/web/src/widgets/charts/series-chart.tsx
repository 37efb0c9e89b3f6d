// Totals over time, one line per group. A drag selects a time range, a click on a diamond opens a profile.
import type { JSX } from 'preact'
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { SeriesResponse } from '@hearth/client'
import { theme } from '../../state/theme.ts'
import { formatMoment } from '../format-time.ts'
import type { SeriesColumns } from './series-columns.ts'
import { chartValue, seriesColumns } from './series-columns.ts'
import type { Chart } from './uplot-chart.ts'
import { lineColour, makeChart } from './uplot-chart.ts'
import './series-chart.css'

export interface SeriesChartProps extends Omit<LineChartProps, 'columns' | 'onExemplar'> {
  readonly response: SeriesResponse
  readonly onProfile: (profile: string) => void
}

export function SeriesChart({ response, onProfile, ...rest }: SeriesChartProps): JSX.Element {
  const columns = useMemo(() => seriesColumns(response), [response])
  return <LineChart {...rest} columns={columns} onExemplar={onProfile} hint={rest.hint ?? PROFILE_HINT} />
}

const PROFILE_HINT = 'Drag to zoom · click a diamond to open its profile'

export interface LineChartProps {
  readonly columns: SeriesColumns
  /** Milliseconds since 1970. */
  readonly from: number
  readonly to: number
  readonly onRange: (from: number, to: number) => void
  /** Receives the key of the clicked mark. */
  readonly onExemplar: (key: string) => void
  readonly label: string
  /** The highlighted range. */
  readonly selected?: { readonly from: number; readonly to: number }
  /** The text below the chart. */
  readonly hint?: string
}

/** The maximum number of lines in the legend. More are not distinguishable. */
const MAX_LISTED = 24

/** A line chart over time. */
export function LineChart(props: LineChartProps): JSX.Element {
  const { columns, from, to, onRange, onExemplar, label, selected, hint } = props
  const host = useRef<HTMLDivElement>(null)
  const [hidden, setHidden] = useState<ReadonlySet<number>>(new Set())
  const [hovered, setHovered] = useState<number | undefined>(undefined)
  const calls = useRef({ onRange, onExemplar })
  calls.current = { onRange, onExemplar }
  const shownTheme = theme.value

  const titles = columns.lines.map(({ title }) => title).sort()
  useLayoutEffect(() => setHidden(old => (old.size === 0 ? old : new Set())), [titles.join('\n')])
  useLayoutEffect(() => {
    const element = host.current
    if (element === null) return undefined
    const chart: Chart = makeChart(
      element,
      { columns, from, to, theme: shownTheme, hidden, selected },
      {
        onRange: (start, end) => calls.current.onRange(start, end),
        onExemplar: ({ key }) => calls.current.onExemplar(key),
        onHover: setHovered,
      },
    )
    const observer = new ResizeObserver(() => chart.resize(element.clientWidth, element.clientHeight))
    observer.observe(element)
    return () => {
      observer.disconnect()
      chart.destroy()
    }
  }, [columns, from, to, shownTheme, hidden, selected?.from, selected?.to])

  const toggle = (line: number): void => {
    const next = new Set(hidden)
    if (!next.delete(line)) next.add(line)
    setHidden(next)
  }
  const several = columns.lines.length > 1
  return (
    <figure class={several ? 'series-chart several' : 'series-chart'} aria-label={label}>
      <div class="series-plot" ref={host} role="img" aria-label={describe(columns)} />
      {several && (
        <ul class="series-legend">
          {columns.lines.slice(0, MAX_LISTED).map((line, i) => (
            <li key={line.title}>
              <button type="button" class="plain" aria-pressed={!hidden.has(i)} onClick={() => toggle(i)}>
                <span class="series-swatch" style={{ background: lineColour(i, shownTheme) }} />
                <span class="series-name" title={line.title}>
                  {line.title}
                </span>
                <span class="series-value">
                  {chartValue(columns, hovered === undefined ? line.sum : (line.values[hovered] ?? 0))}
                </span>
              </button>
            </li>
          ))}
          {columns.lines.length > MAX_LISTED && (
            <li class="muted series-rest">{columns.lines.length - MAX_LISTED} more</li>
          )}
        </ul>
      )}
      <figcaption class="series-hint">
        {hovered !== undefined && columns.times[hovered] !== undefined
          ? `${formatMoment(columns.times[hovered] * 1000)}${several ? '' : ` · ${chartValue(columns, columns.lines[0]?.values[hovered] ?? 0)}`}`
          : (hint ?? 'Drag to zoom')}
      </figcaption>
    </figure>
  )
}

function describe(columns: SeriesColumns): string {
  const largest = columns.lines.slice(0, 5).map(line => `${line.title} ${chartValue(columns, line.sum)}`)
  return `Over time: ${largest.length === 0 ? 'no data' : largest.join(', ')}`
}
