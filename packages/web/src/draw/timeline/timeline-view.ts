// The thread timeline with its interaction: zoom, pan and scroll by pointer and keys, walk from event to event, mark a
// range of time on some threads.
import { Gestures } from '../gestures.ts'
import type { Theme } from '../theme.ts'
import type { TickClock } from '../time-ticks.ts'
import type { EventPlace, TimelineHit } from './timeline-hit.ts'
import { hitAt, hitOf } from './timeline-hit.ts'
import { Lanes } from './timeline-lanes.ts'
import type { MarkedRange } from './timeline-paint.ts'
import type { Overlays, ThreadRowChoice, Rows } from './timeline-rows.ts'
import { NO_OVERLAYS, rowsOf } from './timeline-rows.ts'
import { HEAD_HEIGHT, OVERVIEW_HEIGHT, gutterOf, partAt, timeAt } from './timeline-scene.ts'
import type { StageOptions, TimelineContent } from './timeline-stage.ts'
import { TimelineStage } from './timeline-stage.ts'
import type { Direction } from './timeline-steps.ts'
import { grownRange, stepAcross, stepAlong } from './timeline-steps.ts'
import type { TimelineEvents } from '../../timeline/events.ts'
import type { Span } from '../flame-graph/viewport.ts'
import { limitedScroll, panned, within, zoomed } from '../flame-graph/viewport.ts'

export type { TimelineHit } from './timeline-hit.ts'

export interface TimelineCallbacks {
  readonly onHover?: (hit: TimelineHit | undefined) => void
  /** Called after a click or a keyboard step. */
  readonly onSelect?: (hit: TimelineHit | undefined) => void
  /** Called to open a thread or a span. */
  readonly onOpen?: (hit: TimelineHit) => void
  readonly onViewChange?: (span: Span) => void
  /** Called with undefined when the range is cleared. `isDone` is true when the pointer is released. */
  readonly onRange?: (range: MarkedRange | undefined, isDone: boolean) => void
  /** Called with the new position of the keyboard, for screen readers. */
  readonly onAnnounce?: (text: string) => void
}

const KEY_ZOOM = 1.5
const KEY_PAN = 0.15

type Mode = 'pan' | 'mark' | 'overview'

export class TimelineView {
  readonly #stage: TimelineStage
  readonly #gestures: Gestures
  readonly #ends = new AbortController()
  readonly #callbacks: TimelineCallbacks
  #describe: (thread: number, event: number) => string = () => ''
  #lanes: Lanes | undefined
  #rows: Rows = { list: [], height: 0, threads: [], hiddenSpans: 0 }
  #choice: ThreadRowChoice = { sort: 'name', hidden: new Set(), search: '' }
  #overlays: Overlays = NO_OVERLAYS
  #span: Span = { left: 0, width: 1 }
  #scroll = 0
  #mode: Mode = 'pan'
  #marksOnly = false
  #range: MarkedRange | undefined
  #anchor: { readonly time: number; readonly y: number } | undefined
  #pointer: number | undefined
  #cursor: EventPlace | undefined

  constructor(host: HTMLElement, options: StageOptions, callbacks: TimelineCallbacks) {
    this.#callbacks = callbacks
    this.#stage = new TimelineStage(
      host,
      options,
      () => this.#content(),
      () => this.#scrollTo(this.#scroll),
    )
    const { canvas } = this.#stage
    const { signal } = this.#ends
    canvas.addEventListener('keydown', event => this.#key(event), { signal })
    canvas.addEventListener('dblclick', event => this.#open(event), { signal })
    this.#gestures = new Gestures(canvas, {
      point: (x, y) => this.#point(x, y),
      leave: () => this.#leave(),
      click: (x, y) => this.#click(x, y),
      menu: (x, y) => this.#click(x, y),
      press: (x, y, withShift) => this.#press(x, y, withShift),
      drag: (dx, dy, x, y) => this.#drag(dx, dy, x, y),
      dragEnd: () => this.#dragEnd(),
      zoom: (x, factor) => this.#zoomAt(partAt(this.#stage.width, x), factor),
      scroll: (dx, dy) => this.#scrollBy(dx, dy),
    })
  }

  get rows(): Rows {
    return this.#rows
  }

  get span(): Span {
    return this.#span
  }

  /** `describe` returns the text of an event for screen readers. */
  setEvents(
    events: TimelineEvents,
    hides: (kind: number) => boolean,
    describe: (thread: number, event: number) => string,
  ): void {
    const isNew = this.#lanes?.events !== events
    this.#describe = describe
    this.#lanes = new Lanes(events, hides)
    if (isNew) {
      this.#span = { left: 0, width: Math.max(1, events.whole) }
      this.#cursor = undefined
      this.#range = undefined
      this.#scroll = 0
    }
    this.#arrange()
  }

  setRows(choice: ThreadRowChoice, overlays: Overlays): void {
    this.#choice = choice
    this.#overlays = overlays
    this.#arrange()
  }

  setTheme(theme: Theme): void {
    this.#stage.setTheme(theme)
  }

  setClock(clock: TickClock | undefined): void {
    this.#stage.setClock(clock)
  }

  /** Whether dragging marks a range. Dragging with Shift always does. */
  setMarking(isMarking: boolean): void {
    this.#marksOnly = isMarking
    this.#stage.canvas.style.cursor = isMarking ? 'text' : ''
  }

  setRange(range: MarkedRange | undefined): void {
    this.#range = range
    this.#stage.draw('marks')
  }

  look(span: Span): void {
    this.#span = within(span, this.#whole)
    this.#changed()
  }

  /** Scrolls to the lane of a thread. */
  reveal(thread: number): void {
    const row = this.#rows.list.find(each => each.thread === thread)
    if (row === undefined) return
    const room = this.#stage.height - HEAD_HEIGHT
    if (row.top < this.#scroll) this.#scrollTo(row.top)
    else if (row.top + row.height > this.#scroll + room) this.#scrollTo(row.top + row.height - room)
    this.#stage.draw('everything')
  }

  focus(): void {
    this.#stage.canvas.focus()
  }

  destroy(): void {
    this.#ends.abort()
    this.#gestures.destroy()
    this.#stage.destroy()
  }

  /** The hit at a position in CSS pixels of the host element. */
  hitTest(x: number, y: number): TimelineHit | undefined {
    const place = this.#place
    return place && hitAt(place, x, y)
  }

  // Pointer

  get #gutter(): number {
    return gutterOf(this.#stage.width)
  }

  #point(x: number, y: number): void {
    this.#pointer = x < this.#gutter || y < OVERVIEW_HEIGHT ? undefined : this.#timeAt(x)
    this.#stage.draw('marks')
    const hit = this.hitTest(x, y)
    // Long names are shortened in the gutter.
    this.#stage.canvas.title = x < this.#gutter ? (hit?.row.title ?? '') : ''
    this.#callbacks.onHover?.(hit)
  }

  #leave(): void {
    this.#pointer = undefined
    this.#stage.draw('marks')
    this.#callbacks.onHover?.(undefined)
  }

  #click(x: number, y: number): void {
    if (y < OVERVIEW_HEIGHT) return
    const hit = this.hitTest(x, y)
    this.#cursor = hit === undefined || hit.event < 0 ? undefined : { thread: hit.row.thread, event: hit.event }
    this.#stage.draw('marks')
    this.#callbacks.onSelect?.(hit)
  }

  #open(event: MouseEvent): void {
    const { left, top } = this.#stage.canvas.getBoundingClientRect()
    const [x, y] = [event.clientX - left, event.clientY - top]
    // A click on the name of a thread opens it too.
    const hit = this.hitTest(Math.max(this.#gutter, x), y)
    if (hit !== undefined) this.#callbacks.onOpen?.(hit)
  }

  #press(x: number, y: number, withShift: boolean): void {
    if (y < OVERVIEW_HEIGHT && x >= this.#gutter) {
      this.#mode = 'overview'
      this.#centre(x)
    } else if (x >= this.#gutter && (withShift || this.#marksOnly)) {
      this.#mode = 'mark'
      this.#anchor = { time: this.#timeAt(x), y }
    } else this.#mode = 'pan'
  }

  #drag(dx: number, dy: number, x: number, y: number): void {
    if (this.#mode === 'overview') this.#centre(x)
    else if (this.#mode === 'mark') this.#mark(x, y)
    else this.#scrollBy(-dx, -dy)
  }

  #dragEnd(): void {
    if (this.#mode === 'mark') this.#callbacks.onRange?.(this.#range, true)
    this.#mode = 'pan'
  }

  #mark(x: number, y: number): void {
    if (this.#anchor === undefined) return
    const time = this.#timeAt(Math.max(this.#gutter, Math.min(this.#stage.width, x)))
    const [from, until] = [Math.min(time, this.#anchor.time), Math.max(time, this.#anchor.time)]
    const [top, bottom] = [Math.min(y, this.#anchor.y), Math.max(y, this.#anchor.y)]
    // A range along the ruler covers all threads.
    const isOnRuler = this.#anchor.y < HEAD_HEIGHT
    const offset = HEAD_HEIGHT - this.#scroll
    const touched = this.#rows.list.filter(
      row => row.thread >= 0 && row.top + offset < bottom && row.top + row.height + offset > top,
    )
    this.#range = { from, until, threads: new Set(isOnRuler ? [] : touched.map(({ thread }) => thread)) }
    this.#stage.draw('marks')
    this.#callbacks.onRange?.(this.#range, false)
  }

  /** Centres the visible span at the pointer on the overview. */
  #centre(x: number): void {
    const middle = ((x - this.#gutter) / (this.#stage.width - this.#gutter)) * this.#whole
    this.look({ left: middle - this.#span.width / 2, width: this.#span.width })
  }

  #zoomAt(at: number, factor: number): void {
    this.look(zoomed(this.#span, this.#whole, at, factor))
  }

  #scrollBy(dx: number, dy: number): boolean {
    const { left } = this.#span
    const scroll = this.#scroll
    if (dx !== 0) this.#span = panned(this.#span, this.#whole, dx / (this.#stage.width - this.#gutter))
    if (dy !== 0) this.#scrollTo(scroll + dy)
    if (left === this.#span.left && scroll === this.#scroll) return false
    this.#changed()
    return true
  }

  #scrollTo(scroll: number): void {
    this.#scroll = limitedScroll(scroll, this.#rows.height, this.#stage.height - HEAD_HEIGHT)
  }

  // Keyboard

  #key(event: KeyboardEvent): void {
    if (this.#lanes === undefined || event.ctrlKey || event.metaKey || event.altKey) return
    if (!this.#acted(event)) return
    event.preventDefault()
    event.stopPropagation()
  }

  #acted({ key, code, shiftKey }: KeyboardEvent): boolean {
    const at = this.#pointer === undefined ? 0.5 : (this.#pointer - this.#span.left) / this.#span.width
    // Uses the physical key, so the keys are at the same position in every keyboard layout.
    switch (code) {
      case 'KeyW':
        this.#zoomAt(at, KEY_ZOOM)
        return true
      case 'KeyS':
        this.#zoomAt(at, 1 / KEY_ZOOM)
        return true
      case 'KeyA':
      case 'KeyD':
        return this.#scrollBy((code === 'KeyA' ? -KEY_PAN : KEY_PAN) * (this.#stage.width - this.#gutter), 0) || true
    }
    switch (key) {
      case '0':
      case 'Home':
        this.look({ left: 0, width: this.#whole })
        return true
      case 'f':
        return this.#fit()
      case '+':
      case '=':
        this.#zoomAt(at, KEY_ZOOM)
        return true
      case '-':
        this.#zoomAt(at, 1 / KEY_ZOOM)
        return true
      case 'ArrowLeft':
      case 'ArrowRight':
        this.#walk(key === 'ArrowLeft' ? -1 : 1, shiftKey)
        return true
      case 'ArrowUp':
      case 'ArrowDown':
        this.#climb(key === 'ArrowUp' ? -1 : 1, shiftKey)
        return true
      case 'PageDown':
      case 'PageUp':
        return this.#scrollBy(0, (key === 'PageDown' ? 0.8 : -0.8) * (this.#stage.height - HEAD_HEIGHT))
      case 'Enter': {
        const hit = this.#cursorHit()
        if (hit === undefined) return false
        this.#callbacks.onOpen?.(hit)
        return true
      }
      case 'Escape':
        if (this.#range === undefined) return false
        this.setRange(undefined)
        this.#callbacks.onRange?.(undefined, true)
        return true
      default:
        return false
    }
  }

  /** Zooms to the range, or to the event with its own length on both sides. */
  #fit(): boolean {
    const { start, duration } = this.#lanes!.events
    const event = this.#cursor?.event
    if (this.#range !== undefined) this.look({ left: this.#range.from, width: this.#range.until - this.#range.from })
    else if (event === undefined) return false
    else this.look({ left: start[event] - duration[event], width: 3 * Math.max(1, duration[event]) })
    return true
  }

  /** Moves to the next event; with Shift the range grows to its end. */
  #walk(direction: Direction, grows: boolean): void {
    const next = stepAlong(this.#place!, this.#cursor, direction)
    if (next === undefined) return
    if (grows && this.#cursor !== undefined) this.#grow(this.#cursor, next)
    this.#moveTo(next)
  }

  /** Moves to the thread above or below at the same time; with Shift the range includes it. */
  #climb(direction: Direction, grows: boolean): void {
    const next = stepAcross(this.#place!, this.#cursor, direction)
    if (next === undefined) return
    if (grows && this.#cursor !== undefined) this.#grow(this.#cursor, { ...this.#cursor, thread: next.thread })
    this.#moveTo(next)
  }

  #grow(from: EventPlace, to: EventPlace): void {
    this.#range = grownRange(this.#place!, this.#range, from, to)
    this.#callbacks.onRange?.(this.#range, true)
  }

  #moveTo(place: EventPlace): void {
    const { thread, event } = place
    this.#cursor = place
    const { start, duration } = this.#lanes!.events
    const { left, width } = this.#span
    if (start[event] < left || start[event] + duration[event] > left + width) {
      this.look({ left: start[event] + duration[event] / 2 - width / 2, width })
    }
    this.reveal(thread)
    this.#callbacks.onSelect?.(this.#cursorHit())
    this.#callbacks.onAnnounce?.(this.#describe(thread, event))
  }

  #cursorHit(): TimelineHit | undefined {
    return this.#cursor && hitOf(this.#place!, this.#cursor)
  }

  // Drawing

  get #whole(): number {
    return Math.max(1, this.#lanes?.events.whole ?? 1)
  }

  /** The data for hit tests; undefined before there are events. */
  get #place() {
    const lanes = this.#lanes
    if (lanes === undefined) return undefined
    return { lanes, rows: this.#rows, span: this.#span, scroll: this.#scroll, width: this.#stage.width }
  }

  #timeAt(x: number): number {
    return timeAt({ span: this.#span, width: this.#stage.width }, x)
  }

  #arrange(): void {
    const lanes = this.#lanes
    if (lanes === undefined) return
    this.#rows = rowsOf(lanes, this.#choice, this.#overlays)
    this.#stage.setThreads(lanes, this.#rows.threads)
    this.#scrollTo(this.#scroll)
  }

  #changed(): void {
    this.#stage.draw('everything')
    this.#callbacks.onViewChange?.(this.#span)
  }

  #content(): TimelineContent | undefined {
    const lanes = this.#lanes
    if (lanes === undefined) return undefined
    const { start, duration } = lanes.events
    const cursor = this.#cursor && {
      thread: this.#cursor.thread,
      start: start[this.#cursor.event],
      duration: duration[this.#cursor.event],
    }
    return {
      lanes,
      rows: this.#rows,
      span: this.#span,
      whole: this.#whole,
      scroll: this.#scroll,
      marks: { pointer: this.#pointer, cursor, range: this.#range },
    }
  }
}
