// The number of log records over time, by severity. A drag selects a time range.
import type { LogCountsResponse } from '@hearth/client'
import type { JSX } from 'preact'
import { useRef, useState } from 'preact/hooks'
import type { LogSearch } from '../../address/signal-searches.ts'
import { client } from '../../state/session.ts'
import { useLoaded } from '../../state/use-loaded.ts'
import { absolute, resolveTime, stepFor, timeText } from '../../address/time-range.ts'
import { counted } from '../../widgets/counted.ts'
import { ClockAxis } from '../../widgets/charts/clock-axis.tsx'
import { TimeMarks } from '../../widgets/charts/time-marks.tsx'
import { formatMoment, lengthWords, millisOf } from '../../widgets/format-time.ts'
import { Progress } from '../../widgets/controls/progress.tsx'
import { DragBox } from '../../widgets/charts/drag-box.tsx'
import { useDrag } from '../../widgets/charts/use-drag.ts'
import { useWidth } from '../../widgets/use-width.ts'
import { logRequest } from './log-request.ts'

export interface LogHistogramProps {
  readonly search: LogSearch
  readonly now: number
  readonly onSearch: (search: LogSearch) => void
}

const MAX_STEPS = 120

export function LogHistogram({ search, now, onSearch }: LogHistogramProps): JSX.Element {
  const host = useRef<HTMLDivElement>(null)
  const width = useWidth(host)
  const [pointed, setPointed] = useState<number | undefined>(undefined)
  const loaded = useLoaded(`log-counts:${JSON.stringify(search)}:${now}`, async signal => {
    const [from, to] = [resolveTime(search.from, now) ?? now, resolveTime(search.to, now) ?? now]
    const request = { ...logRequest(absolute(search, now)), step: stepFor(Math.max(1000, to - from), MAX_STEPS) }
    return { response: await client.peek().query('logCounts', request, { signal }), from, to }
  })
  const { value } = loaded
  const [from, to] = [value?.from ?? 0, value?.to ?? 1]
  const timeAt = (x: number): number => from + (x / (width || 1)) * (to - from)
  const { drag, handlers } = useDrag(host, {
    onDrag: chosen => {
      const [first, last] = [chosen.from.x, chosen.to.x].map(timeAt).sort((a, b) => a - b)
      onSearch({ ...search, from: timeText(first), to: timeText(last) })
    },
    onHover: ({ x }) => setPointed(x),
  })
  return (
    <figure class="log-histogram" aria-label="Log records over time">
      <Progress of={loaded} what="Counting logs" />
      <div class="log-plot" ref={host} {...handlers} onPointerLeave={() => setPointed(undefined)}>
        {value !== undefined && <Bars {...value} />}
        {value !== undefined && <p class="log-scale">{scaleText(value.response)}</p>}
        <TimeMarks from={from} to={to} />
        <DragBox drag={drag} selects="times" />
        {value !== undefined && pointed !== undefined && drag === undefined && (
          <StepText response={value.response} at={timeAt(pointed)} x={pointed} width={width} />
        )}
      </div>
      {value !== undefined && <ClockAxis from={from} to={to} width={width} />}
    </figure>
  )
}

interface BarsProps {
  readonly response: LogCountsResponse
  readonly from: number
  readonly to: number
}

/** Stacked bars with the highest severity at the bottom, where small numbers are easiest to see. */
function Bars({ response, from, to }: BarsProps): JSX.Element {
  const step = Number(response.step) / 1e6
  const max = Math.max(1, largestStep(response))
  const place = (ms: number): number => (100 * (ms - from)) / (to - from || 1)
  return (
    <svg viewBox="0 0 100 100" preserveAspectRatio="none" aria-hidden="true">
      {response.points.map(({ time, counts }) => {
        let top = 100
        const x = place(millisOf(time))
        return counts.toReversed().map((count, k) => {
          if (count === 0) return undefined
          const height = (100 * count) / max
          top -= height
          const name = response.severities[counts.length - 1 - k]
          const width = Math.max(0.05, (100 * step) / (to - from || 1) - 0.12)
          return <rect key={`${time}${k}`} class={`bar-${name}`} x={x} y={top} width={width} height={height} />
        })
      })}
    </svg>
  )
}

interface StepTextProps {
  readonly response: LogCountsResponse
  readonly at: number
  readonly x: number
  readonly width: number
}

function StepText({ response, at, x, width }: StepTextProps): JSX.Element {
  const step = Number(response.step) / 1e6
  const point = response.points.find(({ time }) => millisOf(time) <= at && at < millisOf(time) + step)
  const side = x > width / 2 ? { right: `${width - x + 10}px` } : { left: `${x + 10}px` }
  return (
    <p class="log-step" style={side}>
      <span class="muted">{formatMoment(point === undefined ? at : millisOf(point.time))}</span>
      <br />
      {point === undefined
        ? 'No records'
        : response.severities
            .map((name, k) => ({ name, count: point.counts[k] }))
            .filter(({ count }) => count > 0)
            .map(({ name, count }) => `${count.toLocaleString('en')} ${name === 'none' ? 'no severity' : name}`)
            .join(', ')}
    </p>
  )
}

/** The scale of the bars: the highest one has this number of records. */
function scaleText(response: LogCountsResponse): string {
  const largest = largestStep(response)
  return largest === 0 ? '' : `Up to ${counted(largest, 'record')} per ${lengthWords(millisOf(response.step))}`
}

function largestStep({ points }: LogCountsResponse): number {
  return points.reduce((largest, { counts }) => Math.max(largest, sumOf(counts)), 0)
}

function sumOf(counts: readonly number[]): number {
  return counts.reduce((sum, each) => sum + each, 0)
}
