// The chart, drawn by uPlot behind a small interface. A drag selects a time range, a click on a mark opens a profile.
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { formatClock, formatDay } from '../format-time.ts'
import type { Exemplar, SeriesColumns } from './series-columns.ts'
import { lineColour } from './line-colour.ts'
import type { Mark } from './marks.ts'
import { markLabel } from './marks.ts'
import { chartValue } from './series-columns.ts'

export interface ChartCallbacks {
  /** Milliseconds since 1970. */
  readonly onRange: (from: number, to: number) => void
  readonly onExemplar: (exemplar: Exemplar) => void
  /** Receives the index of the time under the pointer, or undefined if the pointer is elsewhere. */
  readonly onHover: (index: number | undefined) => void
}

export interface ChartInput {
  readonly columns: SeriesColumns
  /** Milliseconds since 1970. */
  readonly from: number
  readonly to: number
  readonly theme: 'light' | 'dark'
  readonly hidden: ReadonlySet<number>
  /** The highlighted range, in milliseconds since 1970. */
  readonly selected?: { readonly from: number; readonly to: number } | undefined
  /** Deployments and notes. */
  readonly marks: readonly Mark[]
}

export interface Chart {
  resize(width: number, height: number): void
  destroy(): void
}

/** CSS pixels above the plot. The hint would cover the largest values if it was in the plot. */
const HINT_HEIGHT = 16
/** The distance of time labels at least. One with seconds is 48 pixels wide. */
const LABEL_SPACE = 64
/** Time labels closer to the left edge, in pixels, would overlap the lowest value. */
const MIN_LABEL_LEFT = 18
/** The maximum distance of a click from a mark, in pixels. */
const REACH = 8
const MARK = 3.5
/** The width of the vertical axis at least, and of a letter of its labels at most. */
const AXIS_WIDTH = 64
const LETTER = 6.5

export function makeChart(host: HTMLElement, input: ChartInput, callbacks: ChartCallbacks): Chart {
  const { columns, from, to, theme, hidden } = input
  const style = getComputedStyle(host)
  const muted = style.getPropertyValue('--text-muted')
  const grid = { stroke: style.getPropertyValue('--line'), width: 1 }
  const font = `11px ${style.fontFamily}`
  const days = to - from > 36 * 3_600_000
  const chart = new uPlot(
    {
      width: host.clientWidth,
      height: host.clientHeight,
      // The hint is above the plot. Half of a time with seconds fits beside the last tick.
      padding: [HINT_HEIGHT, 30, 0, 0],
      legend: { show: false },
      cursor: {
        y: false,
        drag: { x: true, y: false, setScale: false },
        points: { size: 6 },
      },
      scales: {
        x: { time: true, range: [from / 1000, to / 1000] },
        y: {
          range: (_, min, max) => {
            const highest = columns.exemplars.reduce((high, { value = 0 }) => Math.max(high, value), max)
            return [Math.min(0, min), highest > 0 ? highest * 1.08 : 1]
          },
        },
      },
      axes: [
        {
          stroke: muted,
          grid,
          ticks: { show: false },
          font,
          size: 22,
          gap: 2,
          space: LABEL_SPACE,
          values: (self, splits, _axis, _space, step) =>
            splits.map(second =>
              self.valToPos(second, 'x') < MIN_LABEL_LEFT ? '' : axisTime(second * 1000, days, step),
            ),
        },
        {
          stroke: muted,
          grid,
          ticks: { show: false },
          font,
          // As wide as the longest label, such as `38.1 ms/request`.
          size: (_, labels) =>
            Math.max(AXIS_WIDTH, ...(labels ?? []).map(text => Math.ceil(text.length * LETTER) + 10)),
          gap: 4,
          space: 26,
          values: (_, splits) => splits.map(value => chartValue(columns, value)),
        },
      ],
      series: [
        {},
        ...columns.lines.map((_, i) => ({
          stroke: lineColour(i, theme),
          width: 1.25,
          spanGaps: true,
          show: !hidden.has(i),
          ...(columns.lines.length === 1 ? { fill: areaFill(theme) } : {}),
          points: { show: columns.times.length < 3, size: 5 },
        })),
      ],
      hooks: {
        // uPlot draws the axes before the lines, so the highlighted range is below the lines.
        drawAxes: [
          self => drawSelected(self, input, style.getPropertyValue('--accent-mark')),
          self => drawTimeMarks(self, input.marks, { line: style.getPropertyValue('--less'), font: style.fontFamily }),
        ],
        draw: [self => drawMarks(self, columns, theme, hidden)],
        setCursor: [self => callbacks.onHover(self.cursor.idx ?? undefined)],
        setSelect: [
          self => {
            const { left, width } = self.select
            if (width < 3) return
            const start = self.posToVal(left, 'x') * 1000
            const end = self.posToVal(left + width, 'x') * 1000
            self.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false)
            callbacks.onRange(Math.round(start), Math.round(end))
          },
        ],
      },
    },
    [columns.times as number[], ...columns.lines.map(line => line.values as number[])],
    host,
  )
  chart.over.addEventListener('click', event => {
    const near = markNear(chart, columns, hidden, event.offsetX, event.offsetY)
    if (near !== undefined) callbacks.onExemplar(near)
  })
  selectByTouch(chart, callbacks.onRange)
  return {
    resize: (width, height) => chart.setSize({ width, height }),
    destroy: () => chart.destroy(),
  }
}

/** A touch shorter than this, in pixels, is a tap. */
const MIN_TOUCH = 12

/** uPlot reacts to the mouse only. A finger that moves sideways selects a range; up and down scrolls the screen. */
function selectByTouch(chart: uPlot, onRange: ChartCallbacks['onRange']): void {
  const { over } = chart
  over.style.touchAction = 'pan-y'
  let start: number | undefined
  const placeOf = (event: PointerEvent): number => {
    const { left, width } = over.getBoundingClientRect()
    return Math.max(0, Math.min(width, event.clientX - left))
  }
  const shade = (left: number, width: number): void =>
    chart.setSelect({ left, width, top: 0, height: over.clientHeight }, false)
  const clear = (): void => {
    start = undefined
    shade(0, 0)
  }
  over.addEventListener('pointerdown', event => {
    if (event.pointerType === 'touch') start = placeOf(event)
  })
  over.addEventListener('pointermove', event => {
    if (start !== undefined) shade(Math.min(start, placeOf(event)), Math.abs(placeOf(event) - start))
  })
  over.addEventListener('pointercancel', clear)
  over.addEventListener('pointerup', event => {
    if (start === undefined) return
    const [from, until] = [start, placeOf(event)].sort((a, b) => a - b)
    clear()
    if (until - from < MIN_TOUCH) return
    onRange(Math.round(chart.posToVal(from, 'x') * 1000), Math.round(chart.posToVal(until, 'x') * 1000))
  })
}

function drawSelected(chart: uPlot, { selected, from, to }: ChartInput, colour: string): void {
  if (selected === undefined) return
  const { ctx } = chart
  const { left, top, width, height } = chart.bbox
  const place = (ms: number): number => left + ((Math.min(to, Math.max(from, ms)) - from) / (to - from)) * width
  const [start, end] = [place(selected.from), place(selected.to)]
  ctx.save()
  ctx.fillStyle = colour
  ctx.globalAlpha = 0.14
  ctx.fillRect(start, top, end - start, height)
  ctx.globalAlpha = 0.7
  for (const edge of [start, end]) ctx.fillRect(Math.round(edge) - 1, top, 1, height)
  ctx.restore()
}

/** Vertical lines with short labels. A label that would overlap the one before is left to the list of the chart. */
function drawTimeMarks(
  chart: uPlot,
  marks: readonly Mark[],
  { line, font }: { readonly line: string; readonly font: string },
): void {
  const { ctx } = chart
  const { left, top, width, height } = chart.bbox
  const scale = devicePixelRatio
  ctx.save()
  ctx.strokeStyle = ctx.fillStyle = line
  ctx.lineWidth = scale
  ctx.font = `${10 * scale}px ${font}`
  ctx.textBaseline = 'top'
  // uPlot leaves the alignment of the axis that it drew last.
  ctx.textAlign = 'left'
  let free = Number.NEGATIVE_INFINITY
  for (const mark of marks) {
    const x = left + chart.valToPos(mark.time / 1000, 'x') * scale
    if (x < left || x > left + width) continue
    ctx.setLineDash(mark.isDeploy ? [] : [3 * scale, 3 * scale])
    ctx.globalAlpha = 0.8
    ctx.beginPath()
    ctx.moveTo(x, top)
    ctx.lineTo(x, top + height)
    ctx.stroke()
    const text = `${mark.isDeploy ? '▸ ' : ''}${markLabel(mark)}`
    const needed = ctx.measureText(text).width + 6 * scale
    if (x < free) continue
    const fits = x + needed <= left + width
    ctx.globalAlpha = 1
    ctx.fillText(text, fits ? x + 3 * scale : x - needed + 3 * scale, top + scale)
    free = x + needed
  }
  ctx.restore()
}

/** Formats a time, with seconds if ticks are closer than a minute. */
function axisTime(ms: number, days: boolean, step: number): string {
  if (!days) return formatClock(ms, step < 60)
  const clock = formatClock(ms, false)
  return clock === '00:00' ? formatDay(ms) : clock
}

function areaFill(theme: 'light' | 'dark'): string {
  return theme === 'dark' ? 'oklch(0.75 0.13 45 / 0.14)' : 'oklch(0.68 0.17 45 / 0.12)'
}

interface Point {
  readonly x: number
  readonly y: number
}

/** The position of a mark in CSS pixels of the plot. Undefined if its line has no value at that time. */
function placeOf(
  chart: uPlot,
  { times, lines, stepMs }: SeriesColumns,
  { time, line, value: own }: Exemplar,
): Point | undefined {
  if (own !== undefined) return { x: chart.valToPos(time / 1000, 'x'), y: chart.valToPos(own, 'y') }
  const at = times.findLastIndex(start => start * 1000 <= time)
  const value = at < 0 || time >= times[at] * 1000 + stepMs ? undefined : lines[line].values[at]
  if (value === undefined) return undefined
  return { x: chart.valToPos(times[at], 'x'), y: chart.valToPos(value, 'y') }
}

function drawMarks(chart: uPlot, columns: SeriesColumns, theme: 'light' | 'dark', hidden: ReadonlySet<number>): void {
  const { ctx } = chart
  const scale = devicePixelRatio
  for (const exemplar of columns.exemplars) {
    const place = hidden.has(exemplar.line) ? undefined : placeOf(chart, columns, exemplar)
    if (place === undefined) continue
    const x = chart.bbox.left + place.x * scale
    const y = chart.bbox.top + place.y * scale
    const size = MARK * scale
    ctx.beginPath()
    ctx.moveTo(x, y - size)
    ctx.lineTo(x + size, y)
    ctx.lineTo(x, y + size)
    ctx.lineTo(x - size, y)
    ctx.closePath()
    ctx.fillStyle = lineColour(exemplar.line, theme)
    ctx.fill()
  }
}

function markNear(
  chart: uPlot,
  columns: SeriesColumns,
  hidden: ReadonlySet<number>,
  x: number,
  y: number,
): Exemplar | undefined {
  let best: Exemplar | undefined
  let nearest = REACH
  for (const exemplar of columns.exemplars) {
    const place = hidden.has(exemplar.line) ? undefined : placeOf(chart, columns, exemplar)
    if (place === undefined) continue
    const distance = Math.hypot(place.x - x, place.y - y)
    if (distance > nearest) continue
    nearest = distance
    best = exemplar
  }
  return best
}
