// The visible part of a flame graph: a part of its width, a scroll position, and the animation from one place to
// another.
import type { Layout } from '@hearth/profile'
import { ROOT } from '@hearth/profile'
import type { FlameGraphViewport, Orientation } from './flame-graph-types.ts'
import type { Span } from './viewport.ts'
import { between, eased, limitedScroll, panned, scrollToRow, within, zoomed } from './viewport.ts'

/** Sizes in CSS pixels. */
export interface Lens {
  readonly width: number
  readonly height: number
  readonly rowHeight: number
  readonly orientation: Orientation
  readonly hidesRoot: boolean
}

/** Long enough to follow, short enough not to wait for. */
const ANIMATION_MS = 120
/** The minimum width of a box after reveal(). */
const REVEALED = 48

interface Animation {
  readonly from: Span
  readonly to: Span
  readonly fromScroll: number
  readonly toScroll: number
  /** The time of the first frame; undefined before it. */
  start: number | undefined
}

export class Camera {
  readonly #lens: () => Lens
  #layout: Layout | undefined
  #span: Span = { left: 0, width: 0 }
  #scroll = 0
  #animation: Animation | undefined

  constructor(lens: () => Lens) {
    this.#lens = lens
  }

  get span(): Span {
    return this.#span
  }

  /** The distance in CSS pixels by which the row of the root is scrolled out of sight. */
  get scroll(): number {
    return this.#scroll
  }

  get moves(): boolean {
    return this.#animation !== undefined
  }

  get showsAll(): boolean {
    return this.#layout === undefined || this.#span.width === this.#layout.whole
  }

  get viewport(): FlameGraphViewport {
    const { rowHeight, height } = this.#lens()
    const whole = this.#layout?.whole ?? 0
    const { left, width } = this.#span
    const top = this.#scroll / rowHeight
    return {
      left: whole === 0 ? 0 : left / whole,
      right: whole === 0 ? 1 : (left + width) / whole,
      top,
      bottom: top + height / rowHeight,
      rows: this.#layout?.rows ?? 0,
    }
  }

  /** Shows a node of another layout without animation. */
  setLayout(layout: Layout | undefined, node: number): void {
    this.#layout = layout
    this.#animation = undefined
    this.#span = this.spanOf(node)
    this.keepWithin()
  }

  /** Corrects the position after the element or its rows changed their size. */
  keepWithin(): void {
    this.#scroll = this.#limited(this.#scroll)
  }

  spanOf(node: number): Span {
    const layout = this.#layout
    if (layout === undefined) return { left: 0, width: 0 }
    if (node === ROOT) return { left: 0, width: layout.whole }
    return within({ left: layout.left[node], width: layout.width[node] }, layout.whole)
  }

  moveToNode(node: number, animate: boolean): void {
    this.#moveTo(this.spanOf(node), node === ROOT ? this.#limited(0) : this.#scrollFor(node), animate)
  }

  moveToSpan(span: Span, animate: boolean): void {
    if (this.#layout !== undefined) this.#moveTo(within(span, this.#layout.whole), this.#scroll, animate)
  }

  /** Moves as little as needed to show the node. Returns whether it zoomed or panned. */
  reveal(node: number, animate: boolean): boolean {
    const layout = this.#layout
    if (layout === undefined) return false
    const box = this.spanOf(node)
    const { left, width } = this.target
    const pixels = this.#lens().width
    const inside = box.left < left + width && box.left + box.width > left
    const stays = inside && (box.width / width) * pixels >= REVEALED / 8
    const wide = Math.max(box.width, Math.min(width, (box.width * pixels) / REVEALED))
    const span = stays ? this.target : within({ left: box.left + box.width / 2 - wide / 2, width: wide }, layout.whole)
    this.#moveTo(span, this.#scrollFor(node), animate)
    return !stays
  }

  /** The span at the end of the animation. */
  get target(): Span {
    return this.#animation?.to ?? this.#span
  }

  zoomAt(at: number, factor: number): void {
    if (this.#layout === undefined) return
    this.#animation = undefined
    this.#span = zoomed(this.#span, this.#layout.whole, at, factor)
  }

  /** Scrolls by CSS pixels. Returns whether the position changed. */
  scrollBy(dx: number, dy: number): boolean {
    if (this.#layout === undefined) return false
    const { orientation, width } = this.#lens()
    const scroll = this.#limited(this.#scroll + (orientation === 'icicle' ? dy : -dy))
    const span = dx === 0 ? this.#span : panned(this.#span, this.#layout.whole, dx / width)
    const moved = scroll !== this.#scroll || span.left !== this.#span.left
    if (!moved) return false
    this.#animation = undefined
    this.#scroll = scroll
    this.#span = span
    return true
  }

  /** Advances the animation to a time. Returns whether it is finished. */
  tick(time: number): boolean {
    const moving = this.#animation
    if (moving === undefined) return false
    moving.start ??= time
    const part = eased((time - moving.start) / ANIMATION_MS)
    this.#span = between(moving.from, moving.to, part)
    this.#scroll = moving.fromScroll + (moving.toScroll - moving.fromScroll) * part
    if (part < 1) return false
    this.#animation = undefined
    return true
  }

  #moveTo(span: Span, scroll: number, animate: boolean): void {
    const same = span.left === this.#span.left && span.width === this.#span.width && scroll === this.#scroll
    if (animate && !same && this.#lens().width > 0) {
      this.#animation = { from: this.#span, to: span, fromScroll: this.#scroll, toScroll: scroll, start: undefined }
      return
    }
    this.#animation = undefined
    this.#span = span
    this.#scroll = scroll
  }

  #limited(scroll: number): number {
    const { rowHeight, height, hidesRoot } = this.#lens()
    const limited = limitedScroll(scroll, (this.#layout?.rows ?? 0) * rowHeight, height)
    return hidesRoot ? Math.max(rowHeight, limited) : limited
  }

  #scrollFor(node: number): number {
    const { rowHeight, height } = this.#lens()
    const row = node === ROOT ? 0 : (this.#layout?.tree.depth[node] ?? 0) + 1
    return this.#limited(scrollToRow(this.#animation?.toScroll ?? this.#scroll, row, rowHeight, height))
  }
}
