// Where a flame graph is looked at: which part of its width, how far it is scrolled, and the way from there to elsewhere.
import type { Layout } from '@hearth/profile'
import { ROOT } from '@hearth/profile'
import type { FlameGraphViewport, Orientation } from './flame-graph-types.ts'
import type { Span } from './viewport.ts'
import { between, eased, limitedScroll, panned, scrollToRow, within, zoomed } from './viewport.ts'

/** In CSS pixels. */
export interface Lens {
  readonly width: number
  readonly height: number
  readonly rowHeight: number
  readonly orientation: Orientation
  readonly hidesRoot: boolean
}

/** Long enough to follow, short enough not to wait for. */
const ANIMATION_MS = 120
/** Boxes that are revealed become so wide at least. */
const REVEALED = 48

interface Animation {
  readonly from: Span
  readonly to: Span
  readonly fromScroll: number
  readonly toScroll: number
  /** Undefined until the first frame, whose time it is. */
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

  /** How far the root's row is out of sight, in CSS pixels. */
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

  /** Looks at a node of another layout, at once. */
  setLayout(layout: Layout | undefined, node: number): void {
    this.#layout = layout
    this.#animation = undefined
    this.#span = this.spanOf(node)
    this.keepWithin()
  }

  /** After the element or its rows have changed their size. */
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

  /** Moves as little as it takes to see the node; whether that was a zoom or a pan. */
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

  /** Where it will be when it has arrived. */
  get target(): Span {
    return this.#animation?.to ?? this.#span
  }

  zoomAt(at: number, factor: number): void {
    if (this.#layout === undefined) return
    this.#animation = undefined
    this.#span = zoomed(this.#span, this.#layout.whole, at, factor)
  }

  /** In CSS pixels, as a page is scrolled; whether anything moved. */
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

  scrollToTop(row: number): void {
    this.#animation = undefined
    this.#scroll = this.#limited(row * this.#lens().rowHeight)
  }

  /** Goes on to where it is at a time; whether it has arrived by that. */
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
