// The timeline of threads as a person uses it: zoom, pan and scroll by hand and by keys, walk from event to event, mark a
// range of time on some threads. Draws at most once a frame, and only what changed.
import type { Theme } from './flame-graph-types.ts'
import { Gestures } from './gestures.ts'
import { layerIn, penOf } from './stage.ts'
import { timelineColours } from './timeline-colours.ts'
import { Lanes } from './timeline-lanes.ts'
import { BandImage } from './timeline-bands.ts'
import type { MarkedRange } from './timeline-paint.ts'
import { paintTimeline, paintTimelineMarks } from './timeline-paint.ts'
import type { LogMark, Overlays, RowChoice, Rows, SpanMark, TimelineRow } from './timeline-rows.ts'
import { NO_OVERLAYS, SPAN_HEIGHT, rowAt, rowsOf } from './timeline-rows.ts'
import type { TimelineScene } from './timeline-scene.ts'
import { GUTTER, HEAD_HEIGHT, OVERVIEW_HEIGHT, placeOf } from './timeline-scene.ts'
import type { TimelineEvents } from '../timeline/events.ts'
import { RUNNING } from '../timeline/roles.ts'
import type { Span } from './viewport.ts'
import { limitedScroll, panned, within, zoomed } from './viewport.ts'

export interface TimelineHit {
  readonly row: TimelineRow
  /** Nanoseconds from the origin. */
  readonly time: number
  /** Row of the event there; -1 where there is none. */
  readonly event: number
  readonly span: SpanMark | undefined
  readonly log: LogMark | undefined
  /** CSS pixels of the host element. */
  readonly x: number
  readonly y: number
}

export interface TimelineCallbacks {
  readonly onHover?: (hit: TimelineHit | undefined) => void
  /** By a click, or by walking there. */
  readonly onSelect?: (hit: TimelineHit | undefined) => void
  /** A thread is to be seen closer, a span opened. */
  readonly onOpen?: (hit: TimelineHit) => void
  readonly onViewChange?: (span: Span) => void
  /** Undefined when it was cleared; `isDone` when the hand let go. */
  readonly onRange?: (range: MarkedRange | undefined, isDone: boolean) => void
  /** What the keyboard came to, for those who do not see it. */
  readonly onAnnounce?: (text: string) => void
}

const OVERVIEW_PARTS = 1024
const KEY_ZOOM = 1.5
const KEY_PAN = 0.15
/** In pixels, around the pointer. */
const SLACK = 3

type Mode = 'pan' | 'mark' | 'overview'

export class TimelineView {
  readonly #canvas: HTMLCanvasElement
  readonly #lower: HTMLCanvasElement
  readonly #pen: CanvasRenderingContext2D
  readonly #upperPen: CanvasRenderingContext2D
  readonly #gestures: Gestures
  readonly #observer: ResizeObserver
  readonly #ends = new AbortController()
  readonly #bands = new BandImage()
  readonly #callbacks: TimelineCallbacks
  readonly #fontFamily: string
  #describe: (thread: number, event: number) => string = () => ''
  #theme: Theme
  #lanes: Lanes | undefined
  #rows: Rows = { list: [], height: 0, threads: [], hiddenSpans: 0 }
  #choice: RowChoice = { sort: 'name', hidden: new Set(), search: '' }
  #overlays: Overlays = NO_OVERLAYS
  #overview: Float32Array = new Float32Array(OVERVIEW_PARTS)
  #span: Span = { left: 0, width: 1 }
  #scroll = 0
  #width = 0
  #height = 0
  #mode: Mode = 'pan'
  #marksOnly = false
  #range: MarkedRange | undefined
  #anchor: { readonly time: number; readonly y: number } | undefined
  #pointer: number | undefined
  #cursor: { readonly thread: number; readonly event: number } | undefined
  #stale: 'nothing' | 'marks' | 'everything' = 'nothing'
  #request = 0

  constructor(
    host: HTMLElement,
    options: { readonly theme: Theme; readonly fontFamily: string; readonly label: string },
    callbacks: TimelineCallbacks,
  ) {
    this.#callbacks = callbacks
    this.#theme = options.theme
    this.#fontFamily = options.fontFamily
    this.#lower = layerIn(host)
    this.#lower.setAttribute('aria-hidden', 'true')
    this.#canvas = layerIn(host)
    this.#canvas.tabIndex = 0
    // Keys are its own, which only an application's are; what they do is said through onAnnounce.
    this.#canvas.setAttribute('role', 'application')
    this.#canvas.setAttribute('aria-label', options.label)
    this.#canvas.style.touchAction = 'none'
    this.#canvas.style.outlineOffset = '-2px'
    this.#pen = penOf(this.#lower, false)
    this.#upperPen = penOf(this.#canvas, true)
    this.#measure(host)
    this.#observer = new ResizeObserver(() => {
      this.#measure(host)
      this.#scrollTo(this.#scroll)
      this.#render('everything')
    })
    this.#observer.observe(host)
    const { signal } = this.#ends
    this.#canvas.addEventListener('keydown', event => this.#key(event), { signal })
    this.#canvas.addEventListener('dblclick', event => this.#open(event), { signal })
    this.#gestures = new Gestures(this.#canvas, {
      point: (x, y) => this.#point(x, y),
      leave: () => this.#leave(),
      click: (x, y) => this.#click(x, y),
      menu: (x, y) => this.#click(x, y),
      press: (x, y, withShift) => this.#press(x, y, withShift),
      drag: (dx, dy, x, y) => this.#drag(dx, dy, x, y),
      dragEnd: () => this.#dragEnd(),
      zoom: (x, factor) => this.#zoomAt(this.#partAt(x), factor),
      scroll: (dx, dy) => this.#scrollBy(dx, dy),
    })
  }

  get rows(): Rows {
    return this.#rows
  }

  get span(): Span {
    return this.#span
  }

  get lanes(): Lanes | undefined {
    return this.#lanes
  }

  /** `describe` says what an event is, for those who do not see it. */
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

  setRows(choice: RowChoice, overlays: Overlays): void {
    this.#choice = choice
    this.#overlays = overlays
    this.#arrange()
  }

  setTheme(theme: Theme): void {
    this.#theme = theme
    this.#draw('everything')
  }

  /** Whether dragging marks a range, as it does with Shift in any case. */
  setMarking(isMarking: boolean): void {
    this.#marksOnly = isMarking
    this.#canvas.style.cursor = isMarking ? 'text' : ''
  }

  setRange(range: MarkedRange | undefined): void {
    this.#range = range
    this.#draw('marks')
  }

  look(span: Span): void {
    this.#span = within(span, this.#whole)
    this.#changed()
  }

  /** Shows a thread's lane. */
  reveal(thread: number): void {
    const row = this.#rows.list.find(each => each.thread === thread)
    if (row === undefined) return
    const room = this.#height - HEAD_HEIGHT
    if (row.top < this.#scroll) this.#scrollTo(row.top)
    else if (row.top + row.height > this.#scroll + room) this.#scrollTo(row.top + row.height - room)
    this.#draw('everything')
  }

  focus(): void {
    this.#canvas.focus()
  }

  destroy(): void {
    cancelAnimationFrame(this.#request)
    this.#ends.abort()
    this.#observer.disconnect()
    this.#gestures.destroy()
    this.#lower.remove()
    this.#canvas.remove()
  }

  /** What is at a place, in CSS pixels of the host element. */
  hitTest(x: number, y: number): TimelineHit | undefined {
    const lanes = this.#lanes
    if (lanes === undefined || x < GUTTER || y < HEAD_HEIGHT) return undefined
    const row = rowAt(this.#rows, y - HEAD_HEIGHT + this.#scroll)
    if (row === undefined) return undefined
    const time = this.#timeAt(x)
    const slack = (SLACK * this.#span.width) / (this.#width - GUTTER)
    const within = y - HEAD_HEIGHT + this.#scroll - row.top
    const level = Math.floor((within - 1) / SPAN_HEIGHT)
    const span = row.spans.find(
      ({ span: each, level: at }) =>
        at === level && time >= each.start - slack && time <= each.start + each.duration + slack,
    )?.span
    const log = row.logs.find(each => Math.abs(each.time - time) <= slack * 1.5)
    const event = row.thread < 0 || span !== undefined ? -1 : lanes.eventAt(row.thread, time, slack)
    return { row, time, event, span, log: span === undefined ? log : undefined, x, y }
  }

  // Pointer

  #point(x: number, y: number): void {
    this.#pointer = x < GUTTER || y < OVERVIEW_HEIGHT ? undefined : this.#timeAt(x)
    this.#draw('marks')
    this.#callbacks.onHover?.(this.hitTest(x, y))
  }

  #leave(): void {
    this.#pointer = undefined
    this.#draw('marks')
    this.#callbacks.onHover?.(undefined)
  }

  #click(x: number, y: number): void {
    if (y < OVERVIEW_HEIGHT) return
    const hit = this.hitTest(x, y)
    this.#cursor = hit === undefined || hit.event < 0 ? undefined : { thread: hit.row.thread, event: hit.event }
    this.#draw('marks')
    this.#callbacks.onSelect?.(hit)
  }

  #open(event: MouseEvent): void {
    const { left, top } = this.#canvas.getBoundingClientRect()
    const [x, y] = [event.clientX - left, event.clientY - top]
    // The name of a thread opens it too.
    const hit = this.hitTest(Math.max(GUTTER, x), y)
    if (hit !== undefined) this.#callbacks.onOpen?.(hit)
  }

  #press(x: number, y: number, withShift: boolean): void {
    if (y < OVERVIEW_HEIGHT && x >= GUTTER) {
      this.#mode = 'overview'
      this.#centre(x)
    } else if (x >= GUTTER && (withShift || this.#marksOnly)) {
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
    const time = this.#timeAt(Math.max(GUTTER, Math.min(this.#width, x)))
    const [from, until] = [Math.min(time, this.#anchor.time), Math.max(time, this.#anchor.time)]
    const [top, bottom] = [Math.min(y, this.#anchor.y), Math.max(y, this.#anchor.y)]
    // Along the ruler it is of all threads.
    const isOnRuler = this.#anchor.y < HEAD_HEIGHT
    const offset = HEAD_HEIGHT - this.#scroll
    const touched = this.#rows.list.filter(
      row => row.thread >= 0 && row.top + offset < bottom && row.top + row.height + offset > top,
    )
    this.#range = { from, until, threads: new Set(isOnRuler ? [] : touched.map(({ thread }) => thread)) }
    this.#draw('marks')
    this.#callbacks.onRange?.(this.#range, false)
  }

  /** Puts the middle of what is shown where the pointer is on the overview. */
  #centre(x: number): void {
    const middle = ((x - GUTTER) / (this.#width - GUTTER)) * this.#whole
    this.look({ left: middle - this.#span.width / 2, width: this.#span.width })
  }

  #zoomAt(at: number, factor: number): void {
    this.look(zoomed(this.#span, this.#whole, at, factor))
  }

  #scrollBy(dx: number, dy: number): boolean {
    const { left } = this.#span
    const scroll = this.#scroll
    if (dx !== 0) this.#span = panned(this.#span, this.#whole, dx / (this.#width - GUTTER))
    if (dy !== 0) this.#scrollTo(scroll + dy)
    if (left === this.#span.left && scroll === this.#scroll) return false
    this.#changed()
    return true
  }

  #scrollTo(scroll: number): void {
    this.#scroll = limitedScroll(scroll, this.#rows.height, this.#height - HEAD_HEIGHT)
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
    // By place of the key, so that it is the same hand on every keyboard.
    switch (code) {
      case 'KeyW':
        this.#zoomAt(at, KEY_ZOOM)
        return true
      case 'KeyS':
        this.#zoomAt(at, 1 / KEY_ZOOM)
        return true
      case 'KeyA':
      case 'KeyD':
        return this.#scrollBy((code === 'KeyA' ? -KEY_PAN : KEY_PAN) * (this.#width - GUTTER), 0) || true
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
        return this.#scrollBy(0, (key === 'PageDown' ? 0.8 : -0.8) * (this.#height - HEAD_HEIGHT))
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

  /** To the range, or to the event, with as much on both sides. */
  #fit(): boolean {
    const { start, duration } = this.#lanes!.events
    const event = this.#cursor?.event
    if (this.#range !== undefined) this.look({ left: this.#range.from, width: this.#range.until - this.#range.from })
    else if (event === undefined) return false
    else this.look({ left: start[event] - duration[event], width: 3 * Math.max(1, duration[event]) })
    return true
  }

  /** To the event beside; with Shift the range grows until its end. */
  #walk(direction: 1 | -1, extends_: boolean): void {
    const lanes = this.#lanes!
    const thread = this.#cursor?.thread ?? this.#rows.threads[0]
    if (thread === undefined) return
    const { span } = this
    const event =
      this.#cursor === undefined
        ? this.#nearest(thread, direction === 1 ? span.left : span.left + span.width)
        : lanes.beside(thread, this.#cursor.event, direction)
    if (event < 0) return
    if (extends_ && this.#cursor !== undefined) this.#extend(this.#cursor.event, event, [thread])
    this.#moveTo(thread, event)
  }

  /** To the thread above or below, at the same time; with Shift it is in the range as well. */
  #climb(direction: 1 | -1, extends_: boolean): void {
    const { threads } = this.#rows
    const { start } = this.#lanes!.events
    const at = this.#cursor === undefined ? -1 : threads.indexOf(this.#cursor.thread)
    const thread = threads[this.#cursor === undefined ? 0 : at + direction]
    if (thread === undefined) return
    const time = this.#cursor === undefined ? this.#span.left : start[this.#cursor.event]
    const event = this.#nearest(thread, time)
    if (event < 0) return
    if (extends_ && this.#cursor !== undefined) this.#extend(this.#cursor.event, this.#cursor.event, [thread])
    this.#moveTo(thread, event)
  }

  #nearest(thread: number, time: number): number {
    return this.#lanes!.eventAt(thread, time, Infinity)
  }

  #extend(from: number, to: number, threads: readonly number[]): void {
    const { start, duration } = this.#lanes!.events
    const old = this.#range
    const own = this.#cursor === undefined ? [] : [this.#cursor.thread]
    const times = [start[from], start[to], start[from] + duration[from], start[to] + duration[to]]
    this.#range = {
      from: Math.min(...times, old?.from ?? Infinity),
      until: Math.max(...times, old?.until ?? -Infinity),
      threads: new Set([...(old?.threads ?? own), ...own, ...threads]),
    }
    this.#callbacks.onRange?.(this.#range, true)
  }

  #moveTo(thread: number, event: number): void {
    this.#cursor = { thread, event }
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
    const cursor = this.#cursor
    const row = cursor && this.#rows.list.find(each => each.thread === cursor.thread)
    if (cursor === undefined || row === undefined) return undefined
    const time = this.#lanes!.events.start[cursor.event]
    const x = Math.max(GUTTER, placeOf({ span: this.#span, width: this.#width }, time))
    const y = HEAD_HEIGHT + row.top - this.#scroll + row.height / 2
    return { row, time, event: cursor.event, span: undefined, log: undefined, x, y }
  }

  // Drawing

  get #whole(): number {
    return Math.max(1, this.#lanes?.events.whole ?? 1)
  }

  #timeAt(x: number): number {
    return this.#span.left + this.#partAt(x) * this.#span.width
  }

  #partAt(x: number): number {
    return Math.max(0, (x - GUTTER) / Math.max(1, this.#width - GUTTER))
  }

  #arrange(): void {
    const lanes = this.#lanes
    if (lanes === undefined) return
    this.#rows = rowsOf(lanes, this.#choice, this.#overlays)
    this.#overview = overviewOf(lanes, this.#rows.threads)
    this.#scrollTo(this.#scroll)
    this.#draw('everything')
  }

  #changed(): void {
    this.#draw('everything')
    this.#callbacks.onViewChange?.(this.#span)
  }

  #draw(what: 'marks' | 'everything'): void {
    if (this.#stale !== 'everything') this.#stale = what
    if (this.#request === 0) this.#request = requestAnimationFrame(() => this.#frame())
  }

  #frame(): void {
    this.#request = 0
    const stale = this.#stale
    this.#stale = 'nothing'
    if (stale !== 'nothing') this.#render(stale)
  }

  #render(what: 'marks' | 'everything'): void {
    const lanes = this.#lanes
    const ratio = this.#fitCanvases()
    if (lanes === undefined || this.#width <= GUTTER) return
    const scene: TimelineScene = {
      lanes,
      rows: this.#rows,
      colours: timelineColours(this.#theme),
      span: this.#span,
      whole: this.#whole,
      scroll: this.#scroll,
      width: this.#width,
      height: this.#height,
      ratio,
      fontFamily: this.#fontFamily,
      overview: this.#overview,
    }
    if (what === 'everything') paintTimeline(this.#pen, scene, this.#bands)
    const { start, duration } = lanes.events
    const cursor = this.#cursor && {
      thread: this.#cursor.thread,
      start: start[this.#cursor.event],
      duration: duration[this.#cursor.event],
    }
    paintTimelineMarks(this.#upperPen, scene, { pointer: this.#pointer, cursor, range: this.#range })
  }

  #measure(host: HTMLElement): void {
    this.#width = host.clientWidth
    this.#height = host.clientHeight
  }

  /** Setting a canvas's size empties it, so only when it has changed. */
  #fitCanvases(): number {
    const ratio = Math.max(1, window.devicePixelRatio)
    const [width, height] = [Math.round(this.#width * ratio), Math.round(this.#height * ratio)]
    for (const canvas of [this.#lower, this.#canvas]) {
      if (canvas.width === width && canvas.height === height) continue
      canvas.width = width
      canvas.height = height
    }
    return ratio
  }
}

/** How much ran in each part of the whole time, against the part in which most did. */
function overviewOf(lanes: Lanes, threads: readonly number[]): Float32Array {
  const sums = new Float32Array(OVERVIEW_PARTS)
  const parts = new Float32Array(OVERVIEW_PARTS)
  const { whole } = lanes.events
  for (const thread of threads) {
    if (!lanes.fill(thread, RUNNING, 0, whole, parts)) continue
    for (let x = 0; x < parts.length; x++) sums[x] += parts[x]
  }
  const most = sums.reduce((high, each) => Math.max(high, each), 0)
  return most === 0 ? sums : sums.map(each => each / most)
}
