// Translates pointer, touch and wheel events on a canvas to gestures: point, click, drag, zoom, scroll, menu. Positions
// are CSS pixels of the canvas.

export interface GestureHandlers {
  point(x: number, y: number): void
  leave(): void
  click(x: number, y: number): void
  menu(x: number, y: number): void
  /** The pointer went down. It is not known yet whether it drags. */
  press?(x: number, y: number, withShift: boolean): void
  /** The distance and the new position. */
  drag(dx: number, dy: number, x: number, y: number): void
  dragEnd(): void
  zoom(x: number, factor: number): void
  /** Returns whether it moved anything; if not, the page may scroll. */
  scroll(dx: number, dy: number): boolean
}

/** A click moves less than this, in CSS pixels. */
const CLICK_SLACK = 4
const LINE = 16
/** One notch of a wheel (about 100 pixels) zooms by a third. */
const ZOOM_BY_PIXEL = 0.003
/** Trackpads report a pinch in much smaller steps than wheels, always with Ctrl. */
const PINCH_BY_PIXEL = 0.01

interface Touch {
  x: number
  y: number
}

export class Gestures {
  readonly #canvas: HTMLCanvasElement
  readonly #handlers: GestureHandlers
  readonly #ends = new AbortController()
  readonly #touches = new Map<number, Touch>()
  #pressed: Touch | undefined
  #dragging = false

  constructor(canvas: HTMLCanvasElement, handlers: GestureHandlers) {
    this.#canvas = canvas
    this.#handlers = handlers
    const { signal } = this.#ends
    canvas.addEventListener('pointerdown', event => this.#down(event), { signal })
    canvas.addEventListener('pointermove', event => this.#move(event), { signal })
    canvas.addEventListener('pointerup', event => this.#up(event, true), { signal })
    canvas.addEventListener('pointercancel', event => this.#up(event, false), { signal })
    canvas.addEventListener('pointerleave', () => this.#touches.size === 0 && handlers.leave(), { signal })
    canvas.addEventListener('wheel', event => this.#wheel(event), { signal, passive: false })
    canvas.addEventListener('contextmenu', event => this.#menu(event), { signal })
  }

  destroy(): void {
    this.#ends.abort()
  }

  #down(event: PointerEvent): void {
    if (event.button !== 0) return
    const at = this.#place(event)
    this.#touches.set(event.pointerId, at)
    this.#canvas.setPointerCapture(event.pointerId)
    if (this.#touches.size === 1) {
      this.#pressed = at
      this.#dragging = false
      this.#handlers.press?.(at.x, at.y, event.shiftKey)
    } else this.#pressed = undefined
  }

  #move(event: PointerEvent): void {
    const at = this.#place(event)
    const before = this.#touches.get(event.pointerId)
    if (before === undefined) {
      this.#handlers.point(at.x, at.y)
      return
    }
    if (this.#touches.size === 2) this.#pinch(event.pointerId, before, at)
    else if (this.#dragging || this.#isAway(at)) {
      // Starts at the position of the press, so nothing jumps when it becomes a drag.
      const from = this.#dragging ? before : (this.#pressed ?? before)
      this.#dragging = true
      this.#canvas.style.cursor = 'grabbing'
      this.#handlers.drag(at.x - from.x, at.y - from.y, at.x, at.y)
    }
    this.#touches.set(event.pointerId, at)
  }

  #isAway({ x, y }: Touch): boolean {
    return this.#pressed !== undefined && Math.hypot(x - this.#pressed.x, y - this.#pressed.y) > CLICK_SLACK
  }

  #pinch(id: number, before: Touch, at: Touch): void {
    const other = [...this.#touches].find(([key]) => key !== id)?.[1]
    if (other === undefined) return
    const old = Math.abs(before.x - other.x)
    const now = Math.abs(at.x - other.x)
    if (old > CLICK_SLACK && now > CLICK_SLACK) this.#handlers.zoom((at.x + other.x) / 2, now / old)
    this.#handlers.scroll(0, (before.y - at.y) / 2)
  }

  #up(event: PointerEvent, meant: boolean): void {
    if (!this.#touches.delete(event.pointerId)) return
    const at = this.#place(event)
    if (this.#dragging) {
      this.#canvas.style.cursor = ''
      this.#handlers.dragEnd()
    } else if (meant && this.#pressed !== undefined) this.#handlers.click(at.x, at.y)
    this.#dragging = false
    this.#pressed = undefined
  }

  #wheel(event: WheelEvent): void {
    const unit =
      event.deltaMode === WheelEvent.DOM_DELTA_LINE ? LINE : event.deltaMode === WheelEvent.DOM_DELTA_PAGE ? 400 : 1
    const [dx, dy] = [event.deltaX * unit, event.deltaY * unit]
    if (event.ctrlKey || event.metaKey) {
      event.preventDefault()
      const rate = Math.abs(dy) < 50 ? PINCH_BY_PIXEL : ZOOM_BY_PIXEL
      this.#handlers.zoom(this.#place(event).x, Math.exp(-dy * rate))
      return
    }
    const moved = event.shiftKey && dx === 0 ? this.#handlers.scroll(dy, 0) : this.#handlers.scroll(dx, dy)
    if (moved) event.preventDefault()
    const at = this.#place(event)
    this.#handlers.point(at.x, at.y)
  }

  #menu(event: MouseEvent): void {
    event.preventDefault()
    // A keyboard event has a meaningless position and is handled with the other keys. On a Mac, Ctrl and a click is the
    // secondary button. A long touch has no button.
    const byPointer = event instanceof PointerEvent && event.pointerType !== ''
    if (event.button !== 2 && !event.ctrlKey && !byPointer) return
    const at = this.#place(event)
    this.#handlers.menu(at.x, at.y)
  }

  #place(event: MouseEvent): Touch {
    const { left, top } = this.#canvas.getBoundingClientRect()
    return { x: event.clientX - left, y: event.clientY - top }
  }
}
