// Paints a timeline: the overview with the visible part, a ruler, and the rows below with texts, spans and marks over
// the pixels of the lanes.
import { timeTicks } from '../time-ticks.ts'
import type { BandImage } from './timeline-bands.ts'
import type { LogMark, PlacedSpan, Rows, TimelineRow } from './timeline-rows.ts'
import { BAND_HEIGHT, SPAN_HEIGHT, firstBelow } from './timeline-rows.ts'
import type { TimelineScene } from './timeline-scene.ts'
import { HEAD_HEIGHT, OVERVIEW_HEIGHT, RULER_HEIGHT, gutterOf, xOfTime } from './timeline-scene.ts'

export interface TimelineMarks {
  /** The time at the pointer; undefined while it is outside. */
  readonly pointer: number | undefined
  /** The event that the keyboard is at. */
  readonly cursor: { readonly thread: number; readonly start: number; readonly duration: number } | undefined
  readonly range: MarkedRange | undefined
}

export interface MarkedRange {
  readonly from: number
  readonly until: number
  /** Threads of the range; empty for all threads. */
  readonly threads: ReadonlySet<number>
}

export function paintTimeline(pen: CanvasRenderingContext2D, scene: TimelineScene, bands: BandImage): void {
  const { colours, width, height, ratio, rows, scroll } = scene
  pen.setTransform(ratio, 0, 0, ratio, 0, 0)
  pen.fillStyle = colours.paper
  pen.fillRect(0, 0, width, height)
  const shown = rowsInSight(rows, scroll, height - HEAD_HEIGHT)
  const gutter = gutterOf(width)
  bands.paint(pen, scene, shown)
  pen.textBaseline = 'middle'
  pen.save()
  pen.beginPath()
  pen.rect(0, HEAD_HEIGHT, width, height - HEAD_HEIGHT)
  pen.clip()
  const ticks = ticksOf(scene)
  pen.fillStyle = colours.shade
  for (const { at } of ticks) pen.fillRect(Math.round(gutter + at * (width - gutter)), HEAD_HEIGHT, 1, height)
  for (const row of shown) paintRow(pen, scene, row)
  pen.restore()
  pen.fillStyle = colours.line
  pen.fillRect(gutter - 1, 0, 1, height)
  paintHead(pen, scene, ticks, bands)
}

function rowsInSight({ list }: Rows, scroll: number, height: number): readonly TimelineRow[] {
  return list.slice(Math.max(0, firstBelow(list, scroll) - 1), firstBelow(list, scroll + height))
}

/** In pixels: room for a time with all its digits. */
const TICK = 110

function ticksOf({ span, width, clock }: TimelineScene): ReturnType<typeof timeTicks> {
  return timeTicks(span.left, span.left + span.width, Math.floor((width - gutterOf(width)) / TICK), clock)
}

function paintHead(
  pen: CanvasRenderingContext2D,
  scene: TimelineScene,
  ticks: ReturnType<typeof timeTicks>,
  bands: BandImage,
): void {
  const { colours, width, span, whole } = scene
  const gutter = gutterOf(width)
  const wide = width - gutter
  pen.fillStyle = colours.quiet
  pen.fillRect(0, 0, width, HEAD_HEIGHT)
  bands.paintOverview(pen, scene)
  const [left, right] = [gutter + (span.left / whole) * wide, gutter + ((span.left + span.width) / whole) * wide]
  pen.fillStyle = colours.shade
  pen.fillRect(gutter, 0, left - gutter, OVERVIEW_HEIGHT)
  pen.fillRect(right, 0, width - right, OVERVIEW_HEIGHT)
  pen.strokeStyle = colours.accent
  pen.lineWidth = 1.5
  const shownWidth = Math.max(3, right - left)
  pen.strokeRect(Math.min(left, width - shownWidth) + 0.75, 0.75, shownWidth - 1.5, OVERVIEW_HEIGHT - 2.5)
  pen.fillStyle = colours.line
  for (const y of [OVERVIEW_HEIGHT - 1, HEAD_HEIGHT - 1]) pen.fillRect(0, y, width, 1)
  pen.font = `11px ${scene.fontFamily}`
  pen.fillStyle = colours.muted
  for (const { at, text } of ticks) {
    const x = Math.round(gutter + at * wide)
    pen.fillRect(x, OVERVIEW_HEIGHT, 1, RULER_HEIGHT - 1)
    pen.fillText(text, x + 4, OVERVIEW_HEIGHT + RULER_HEIGHT / 2)
  }
  pen.fillText('Overview', 8, OVERVIEW_HEIGHT / 2)
  // Ticks at the right edge would have no room for their text. Ticks at the left edge start there.
  pen.fillStyle = colours.line
  pen.fillRect(gutter - 1, 0, 1, HEAD_HEIGHT)
}

function paintRow(pen: CanvasRenderingContext2D, scene: TimelineScene, row: TimelineRow): void {
  const { colours, width, scroll } = scene
  const top = Math.round(HEAD_HEIGHT + row.top - scroll)
  if (row.kind === 'group') {
    pen.fillStyle = colours.quiet
    pen.fillRect(0, top, width, row.height)
  }
  if (row.kind === 'metric' && row.metric !== undefined) paintMetric(pen, scene, row, top)
  pen.fillStyle = colours.line
  pen.fillRect(0, top + row.height - 1, width, 1)
  for (const placed of row.spans) paintSpan(pen, scene, placed, top)
  for (const log of row.logs) paintLog(pen, scene, log, top + row.levels * SPAN_HEIGHT)
  paintTitle(pen, scene, row, top)
}

function paintTitle(pen: CanvasRenderingContext2D, scene: TimelineScene, row: TimelineRow, top: number): void {
  const { colours, lanes, fontFamily } = scene
  const gutter = gutterOf(scene.width)
  const isLane = row.kind === 'lane'
  // A narrow column has room for the name only.
  const withShare = isLane && gutter > 160
  const middle = row.kind === 'metric' ? top + 14 : top + row.height - (isLane ? 14 : 12)
  pen.fillStyle = isLane ? colours.paper : colours.quiet
  pen.fillRect(0, top, gutter - 1, row.height - 1)
  pen.save()
  pen.beginPath()
  pen.rect(0, top, gutter - (withShare ? 58 : 6), row.height)
  pen.clip()
  pen.font = `${row.kind === 'group' ? 600 : 400} 12px ${fontFamily}`
  pen.fillStyle = colours.text
  const left = withShare ? 16 : 8
  pen.fillText(shortened(pen, row.title, gutter - (withShare ? 58 : 6) - left), left, middle)
  pen.restore()
  if (!withShare) return
  const share = lanes.spent(row.thread, 0, scene.span.left, scene.span.left + scene.span.width) / scene.span.width
  pen.font = `11px ${fontFamily}`
  pen.fillStyle = colours.muted
  pen.textAlign = 'right'
  pen.fillText(shareText(Math.min(1, share)), gutter - 8, middle)
  pen.textAlign = 'left'
}

/** Shortened in the middle: names of threads often differ at their end. The row's tooltip has the whole name. */
export function shortened(pen: Pick<CanvasRenderingContext2D, 'measureText'>, text: string, room: number): string {
  const width = pen.measureText(text).width
  if (width <= room) return text
  // The kept characters can be wider than the others.
  for (let kept = Math.floor((text.length * room) / width) - 2; ; kept--) {
    const end = Math.max(1, Math.ceil(kept / 2))
    const short = `${text.slice(0, Math.max(1, kept - end))}…${text.slice(-end)}`
    if (kept <= 2 || pen.measureText(short).width <= room) return short
  }
}

function shareText(share: number): string {
  return share === 0 ? '' : share < 0.001 ? '<0.1%' : `${(100 * share).toFixed(share < 0.1 ? 1 : 0)}%`
}

function paintSpan(
  pen: CanvasRenderingContext2D,
  scene: TimelineScene,
  { span, level }: PlacedSpan,
  top: number,
): void {
  const { colours, width } = scene
  const gutter = gutterOf(width)
  const left = Math.max(gutter, xOfTime(scene, span.start))
  const right = Math.min(width, xOfTime(scene, span.start + span.duration))
  if (right < gutter || left > width) return
  const wide = Math.max(1.5, right - left - 1)
  const y = top + 1 + level * SPAN_HEIGHT
  pen.fillStyle = colours.span
  pen.fillRect(left, y, wide, SPAN_HEIGHT - 2)
  pen.fillStyle = span.isError ? colours.danger : colours.accent
  if (span.isStored) pen.fillRect(left, y, Math.min(2, wide), SPAN_HEIGHT - 2)
  if (wide < 24) return
  pen.font = `11px ${scene.fontFamily}`
  pen.fillStyle = colours.spanText
  pen.fillText(cut(pen, span.name, wide - 9), left + 5, y + SPAN_HEIGHT / 2 - 0.5)
}

/** Cut at its end; empty if less than three letters fit. */
export function cut(pen: Pick<CanvasRenderingContext2D, 'measureText'>, text: string, room: number): string {
  const width = pen.measureText(text).width
  if (width <= room) return text
  const kept = Math.floor((text.length * room) / width) - 1
  return kept < 3 ? '' : `${text.slice(0, kept)}…`
}

const ERROR = 17
const WARNING = 13

function paintLog(pen: CanvasRenderingContext2D, scene: TimelineScene, log: LogMark, top: number): void {
  const x = xOfTime(scene, log.time)
  if (x < gutterOf(scene.width) || x > scene.width) return
  const { danger, warn, muted } = scene.colours
  pen.fillStyle = log.severity >= ERROR ? danger : log.severity >= WARNING ? warn : muted
  pen.beginPath()
  pen.moveTo(x - 4, top)
  pen.lineTo(x + 4, top)
  pen.lineTo(x, top + 7)
  pen.fill()
  // Several records have a line below, which grows with each power of ten.
  if (log.records < 2) return
  const wide = 4 + 4 * Math.min(4, Math.floor(Math.log10(log.records)))
  pen.fillRect(x - wide / 2, top + 9, wide, 2)
}

function paintMetric(pen: CanvasRenderingContext2D, scene: TimelineScene, row: TimelineRow, top: number): void {
  const { colours, span } = scene
  const { time, value } = row.metric!
  let [min, max] = [Infinity, -Infinity]
  for (let i = 0; i < time.length; i++) {
    if (time[i] < span.left || time[i] > span.left + span.width) continue
    min = Math.min(min, value[i])
    max = Math.max(max, value[i])
  }
  if (min > 0 && min < max / 2) min = 0
  const room = row.height - 12
  const y = (each: number): number => top + row.height - 6 - ((each - min) / (max - min || 1)) * room
  pen.strokeStyle = colours.accent
  pen.lineWidth = 1.5
  pen.beginPath()
  for (let i = 0; i < time.length; i++) pen.lineTo(xOfTime(scene, time[i]), y(value[i]))
  pen.stroke()
}

/** Paints on a separate canvas that is transparent elsewhere. */
export function paintTimelineMarks(pen: CanvasRenderingContext2D, scene: TimelineScene, marks: TimelineMarks): void {
  const { colours, width, height, ratio, rows, scroll } = scene
  pen.setTransform(ratio, 0, 0, ratio, 0, 0)
  pen.clearRect(0, 0, width, height)
  pen.save()
  pen.beginPath()
  const gutter = gutterOf(width)
  pen.rect(gutter, OVERVIEW_HEIGHT, width - gutter, height - OVERVIEW_HEIGHT)
  pen.clip()
  const { pointer, cursor, range } = marks
  if (range !== undefined) {
    const [left, right] = [xOfTime(scene, range.from), xOfTime(scene, range.until)]
    const isOn = (row: TimelineRow): boolean =>
      row.thread >= 0 && (range.threads.size === 0 || range.threads.has(row.thread))
    pen.fillStyle = `${colours.accent}33`
    for (const row of rowsInSight(rows, scroll, height - HEAD_HEIGHT)) {
      if (isOn(row)) pen.fillRect(left, HEAD_HEIGHT + row.top - scroll, right - left, row.height)
    }
    pen.fillRect(left, OVERVIEW_HEIGHT, right - left, RULER_HEIGHT)
    pen.fillStyle = colours.accent
    for (const x of [left, right]) pen.fillRect(Math.round(x) - 0.5, OVERVIEW_HEIGHT, 1, height)
  }
  const row = cursor && rows.list.find(each => each.thread === cursor.thread)
  if (cursor !== undefined && row !== undefined) {
    const top = HEAD_HEIGHT + row.top - scroll + row.levels * SPAN_HEIGHT + 2
    const left = xOfTime(scene, cursor.start)
    const wide = Math.max(3, xOfTime(scene, cursor.start + cursor.duration) - left)
    pen.strokeStyle = colours.text
    pen.lineWidth = 2
    pen.strokeRect(left - 1, top, wide + 2, BAND_HEIGHT + 2)
  }
  if (pointer !== undefined) {
    pen.fillStyle = colours.muted
    pen.fillRect(Math.round(xOfTime(scene, pointer)), OVERVIEW_HEIGHT, 1, height)
  }
  pen.restore()
}
