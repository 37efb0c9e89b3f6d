// Totals over time, one line per group. A drag selects a time range, a click on a diamond opens a profile.
import type { JSX } from 'preact'
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { SeriesResponse } from '@hearth/client'
import { theme } from '../../state/theme.ts'
import { formatMoment } from '../format-time.ts'
import type { SeriesColumns } from './series-columns.ts'
import { chartValue, seriesColumns } from './series-columns.ts'
import type { Chart, makeChart } from './uplot-chart.ts'
import { lineColour } from './line-colour.ts'
import { useMarks } from './use-marks.ts'
import './series-chart.css'

export interface SeriesChartProps extends Omit<LineChartProps, 'columns' | 'onExemplar'> {
  readonly response: SeriesResponse
  /** The unit of the axis; that of the response unless given. */
  readonly unit?: string
  readonly onProfile: (profile: string) => void
}

export function SeriesChart({ response, unit, onProfile, ...rest }: SeriesChartProps): JSX.Element {
  const columns = useMemo(
    () => ({ ...seriesColumns(response), ...(unit === undefined ? {} : { unit }) }),
    [response, unit],
  )
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

interface ChartModule {
  readonly makeChart: typeof makeChart
}

/** The chart library is a sixth of the scripts. It is loaded once, with the first chart. */
let chartModule: ChartModule | undefined

async function loadChart(): Promise<ChartModule> {
  return (chartModule = await import('./uplot-chart.ts'))
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
  const marks = useMarks(from, to)

  const titles = columns.lines.map(({ title }) => title).sort()
  useLayoutEffect(() => setHidden(old => (old.size === 0 ? old : new Set())), [titles.join('\n')])
  useLayoutEffect(() => {
    const element = host.current
    if (element === null) return undefined
    let chart: Chart | undefined
    const draw = (loaded: ChartModule): void => {
      chart = loaded.makeChart(
        element,
        { columns, from, to, theme: shownTheme, hidden, selected, marks },
        {
          onRange: (start, end) => calls.current.onRange(start, end),
          onExemplar: ({ key }) => calls.current.onExemplar(key),
          onHover: setHovered,
        },
      )
    }
    const ends = new AbortController()
    if (chartModule !== undefined) draw(chartModule)
    else void loadChart().then(loaded => ends.signal.aborted || draw(loaded))
    const observer = new ResizeObserver(() => chart?.resize(element.clientWidth, element.clientHeight))
    observer.observe(element)
    return () => {
      ends.abort()
      observer.disconnect()
      chart?.destroy()
    }
  }, [columns, from, to, shownTheme, hidden, selected?.from, selected?.to, marks])

  const toggle = (line: number): void => {
    const next = new Set(hidden)
    if (!next.delete(line)) next.add(line)
    setHidden(next)
  }
  const several = columns.lines.length > 1
  return (
    <figure class={several ? 'series-chart several' : 'series-chart'} aria-label={label}>
      <div class="series-plot" ref={host} role="img" aria-label={describe(columns)} />
      {marks.length > 0 && (
        <ul class="visually-hidden" aria-label="Marks">
          {marks.map(mark => (
            <li key={`${mark.time} ${mark.text}`}>
              {formatMoment(mark.time)}: {mark.text}
            </li>
          ))}
        </ul>
      )}
      {several && (
        <ul class="series-legend" data-rove>
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
