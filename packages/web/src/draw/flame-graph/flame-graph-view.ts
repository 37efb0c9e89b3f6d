// The flame graph as a DOM component without a framework: two canvases in an element, with zoom, pan, hover, selection
// and keyboard. A widget creates one, sets trees and options, and listens to callbacks.
import type { CallTree, Layout } from '@hearth/profile'
import { ROOT, findPath, layOut, nodesTo, pathOf } from '@hearth/profile'
import { Camera } from './camera.ts'
import { announcement } from './describe.ts'
import type { Theme } from '../theme.ts'
import type {
  FlameGraphApi,
  FlameGraphCallbacks,
  FlameGraphHit,
  FlameGraphOptions,
  FlameGraphViewport,
  FocusChange,
  Minimap,
  NodePath,
  SearchMarks,
} from './flame-graph-types.ts'
import { Gestures } from '../gestures.ts'
import { minimapOf } from './minimap.ts'
import { rowAt, rowTop } from './paint.ts'
import { Stage } from './stage.ts'
import { svgText } from './svg.ts'
import { nodeAround, nodeAt } from './visible-boxes.ts'
import { stepOf, walk } from './walk.ts'

export type * from './flame-graph-types.ts'

export const DEFAULT_OPTIONS: FlameGraphOptions = {
  orientation: 'icicle',
  colourBy: 'package',
  palette: 'standard',
  theme: 'light',
  rowHeight: 20,
  fontSize: 12,
  fontFamily: '"JetBrains Mono Variable", ui-monospace, monospace',
  shortNames: true,
  hidesRoot: false,
  whole: 'total',
  observations: undefined,
  animate: undefined,
}

const KEY_ZOOM = 1.5
/** A fraction of the window's width. */
const KEY_PAN = 0.15

export class FlameGraphView implements FlameGraphApi {
  readonly #callbacks: FlameGraphCallbacks
  readonly #stage: Stage
  readonly #camera: Camera
  readonly #gestures: Gestures
  readonly #ends = new AbortController()
  #options: FlameGraphOptions
  #layout: Layout | undefined
  #focused = ROOT
  #selected: number | undefined
  #hovered: number | undefined
  #markedFrame: number | undefined
  /** The pointer's distance from the left edge; undefined while it is outside. */
  #pointer: number | undefined
  #frameRequest = 0
  #stale: 'nothing' | 'marks' | 'everything' = 'nothing'

  /** Fills `host` and follows its size. The host should be positioned. */
  constructor(host: HTMLElement, callbacks: FlameGraphCallbacks = {}, options: Partial<FlameGraphOptions> = {}) {
    this.#callbacks = callbacks
    this.#options = { ...DEFAULT_OPTIONS, ...options }
    this.#stage = new Stage(host, this.#options, () => this.#resized())
    this.#camera = new Camera(() => ({
      width: this.#stage.width,
      height: this.#stage.height,
      rowHeight: this.#options.rowHeight,
      orientation: this.#options.orientation,
      hidesRoot: this.#options.hidesRoot,
    }))
    const { canvas } = this.#stage
    canvas.addEventListener('keydown', event => this.#key(event), { signal: this.#ends.signal })
    this.#gestures = new Gestures(canvas, {
      point: (x, y) => this.#point(x, y),
      leave: () => {
        this.#pointer = undefined
        this.#hover(undefined)
      },
      click: (x, y) => this.#click(x, y),
      menu: (x, y) => this.#menu(x, y),
      drag: (dx, dy) => this.#drag(dx, dy),
      dragEnd: () => this.#settleFocus('drag'),
      zoom: (x, factor) => this.#zoomAt(x / this.#stage.width, factor, 'wheel'),
      scroll: (dx, dy) => this.#scrollBy(dx, dy),
    })
  }

  get focused(): number {
    return this.#focused
  }

  get selected(): number | undefined {
    return this.#selected
  }

  get viewport(): FlameGraphViewport {
    return this.#camera.viewport
  }

  setTree(tree: CallTree | undefined): void {
    const old = this.#layout?.tree
    if (old === tree) return
    const focusPath = old === undefined ? [] : pathOf(old, this.#focused)
    const selectedPath = old === undefined || this.#selected === undefined ? undefined : pathOf(old, this.#selected)
    this.#hover(undefined)
    this.#layout = tree && layOut(tree)
    this.#stage.setLayout(this.#layout)
    this.#focused = tree === undefined ? ROOT : findPath(tree, focusPath).node
    const selected = tree === undefined || selectedPath === undefined ? undefined : findPath(tree, selectedPath)
    this.#selected = selected?.depth === selectedPath?.length ? selected?.node : undefined
    this.#markedFrame = undefined
    this.#camera.setLayout(this.#layout, this.#focused)
    this.#changed()
  }

  setOptions(options: Partial<FlameGraphOptions>): void {
    this.#options = { ...this.#options, ...options }
    this.#stage.setOptions(this.#options)
    this.#camera.keepWithin()
    this.#changed()
  }

  setTheme(theme: Theme): void {
    this.setOptions({ theme })
  }

  setSearch(marks: SearchMarks | undefined): void {
    this.#stage.setMatches(marks?.matches)
    this.#draw('everything')
  }

  setMarkedFrame(frame: number | undefined): void {
    if (this.#markedFrame === frame) return
    this.#markedFrame = frame
    this.#draw('marks')
  }

  focus(path: NodePath): number {
    if (this.#layout === undefined) return ROOT
    const { node } = findPath(this.#layout.tree, path)
    // The URL returns the path that this view reported. That must not undo a zoom by the wheel.
    if (node !== this.#focused) this.#focus(node, 'call')
    return node
  }

  select(node: number | undefined): void {
    if (this.#selected === node) return
    this.#selected = node
    this.#draw('marks')
  }

  reveal(node: number): void {
    if (this.#layout === undefined) return
    const zoomed = this.#camera.reveal(node, this.#animates())
    this.#changed()
    if (zoomed) this.#settleFocus('key')
  }

  look(left: number, right: number): void {
    const whole = this.#layout?.whole ?? 0
    this.#camera.moveToSpan({ left: left * whole, width: (right - left) * whole }, false)
    this.#changed()
    this.#settleFocus('call')
  }

  scrollRows(rows: number): void {
    const dy = rows * this.#options.rowHeight
    this.#scrollBy(0, this.#options.orientation === 'icicle' ? dy : -dy)
  }

  zoomOut(): void {
    this.#zoomOut('call')
  }

  reset(): void {
    this.#focus(ROOT, 'call')
  }

  minimap(pixels: number): Minimap {
    return this.#layout === undefined ? { rows: 0, depth: new Uint32Array(pixels) } : minimapOf(this.#layout, pixels)
  }

  toPng(scale = 2): Promise<Blob> {
    return this.#stage.toPng(this.#camera.target, scale)
  }

  toSvg(title = 'Flame graph'): string {
    const scene = this.#stage.wholeScene(this.#camera.target, 1)
    return scene === undefined ? '' : svgText(scene, title, this.#options.fontFamily)
  }

  destroy(): void {
    cancelAnimationFrame(this.#frameRequest)
    this.#ends.abort()
    this.#gestures.destroy()
    this.#stage.destroy()
  }

  // Zoom and focus

  #focus(node: number, by: FocusChange['by']): void {
    if (this.#layout === undefined) return
    const moved = this.#focused !== node
    this.#focused = node
    this.#camera.moveToNode(node, this.#animates())
    this.#changed()
    if (moved) this.#tellFocus(by)
  }

  #zoomOut(by: FocusChange['by']): void {
    const tree = this.#layout?.tree
    if (tree === undefined) return
    // A parent with a single child is as wide as the child, so zooming to it would change nothing.
    let node = this.#focused
    const { width } = this.#camera.target
    while (node !== ROOT && this.#camera.spanOf(node).width <= width * 1.000001) node = tree.parent[node]
    this.#focus(node, by)
  }

  #tellFocus(by: FocusChange['by']): void {
    const tree = this.#layout?.tree
    if (tree === undefined) return
    const node = this.#focused
    this.#callbacks.onFocusChange?.({ node, path: pathOf(tree, node), nodes: nodesTo(tree, node), by })
  }

  /** Focuses the box that fills the window after a free zoom or pan. */
  #settleFocus(by: FocusChange['by']): void {
    const layout = this.#layout
    if (layout === undefined) return
    const { left, width } = this.#camera.target
    const around = nodeAround(layout, left, left + width)
    if (around === this.#focused) return
    this.#focused = around
    this.#tellFocus(by)
  }

  #zoomAt(at: number, factor: number, by: FocusChange['by']): void {
    this.#camera.zoomAt(at, factor)
    this.#changed()
    this.#settleFocus(by)
  }

  #drag(dx: number, dy: number): void {
    this.#hover(undefined)
    this.#scrollBy(-dx, -dy)
  }

  #scrollBy(dx: number, dy: number): boolean {
    const moved = this.#camera.scrollBy(dx, dy)
    if (moved) this.#changed()
    return moved
  }

  #animates(): boolean {
    return this.#options.animate ?? !matchMedia('(prefers-reduced-motion: reduce)').matches
  }

  // Pointer

  #point(x: number, y: number): void {
    this.#pointer = x
    const node = this.#nodeAt(x, y)
    this.#hover(node === undefined ? undefined : this.#hitOf(node, 'pointer', x, y))
  }

  #hover(hit: FlameGraphHit | undefined): void {
    if (hit === undefined && this.#hovered === undefined) return
    if (hit?.node !== this.#hovered) {
      this.#hovered = hit?.node
      this.#stage.canvas.style.cursor = hit === undefined ? '' : 'pointer'
      this.#draw('marks')
    }
    this.#callbacks.onHover?.(hit)
  }

  #click(x: number, y: number): void {
    const node = this.#nodeAt(x, y)
    this.#choose(node, node === undefined ? undefined : this.#hitOf(node, 'pointer', x, y))
    if (node !== undefined) this.#focus(node, 'click')
  }

  #menu(x: number, y: number): void {
    const node = this.#nodeAt(x, y)
    if (node === undefined) return
    const hit = this.#hitOf(node, 'pointer', x, y)
    this.#choose(node, hit)
    this.#callbacks.onContextMenu?.(hit)
  }

  #choose(node: number | undefined, hit: FlameGraphHit | undefined): void {
    this.select(node)
    this.#callbacks.onSelect?.(hit)
  }

  #nodeAt(x: number, y: number): number | undefined {
    if (this.#layout === undefined || this.#stage.width === 0) return undefined
    const { span, scroll } = this.#camera
    const place = span.left + (x / this.#stage.width) * span.width
    return nodeAt(this.#layout, place, rowAt(this.#stage.frame(scroll, 1), y))
  }

  #hitOf(node: number, by: FlameGraphHit['by'], x?: number, y?: number): FlameGraphHit {
    const tree = this.#layout!.tree
    const { span, scroll } = this.#camera
    const { left, width } = this.#camera.spanOf(node)
    const scale = span.width === 0 ? 0 : this.#stage.width / span.width
    const from = Math.max(0, (left - span.left) * scale)
    const until = span.width === 0 ? this.#stage.width : (left + width - span.left) * scale
    const box = {
      x: from,
      y: rowTop(this.#stage.frame(scroll, 1), node === ROOT ? 0 : tree.depth[node] + 1),
      width: Math.max(0, Math.min(this.#stage.width, until) - from),
      height: this.#options.rowHeight,
    }
    const middle = { x: box.x + Math.min(box.width, 200) / 2, y: box.y + box.height / 2 }
    const frame = node === ROOT ? -1 : tree.frame[node]
    return { node, frame, path: pathOf(tree, node), box, x: x ?? middle.x, y: y ?? middle.y, by }
  }

  // Keyboard

  #key(event: KeyboardEvent): void {
    if (this.#layout === undefined || event.ctrlKey || event.metaKey || event.altKey) return
    if (!this.#acted(event)) return
    event.preventDefault()
    event.stopPropagation()
  }

  #acted(event: KeyboardEvent): boolean {
    const layout = this.#layout!
    const step = stepOf(event.key, this.#options.orientation)
    if (step !== undefined) {
      this.#selectByKey(this.#selected === undefined ? this.#focused : walk(layout, this.#selected, step))
      return true
    }
    if (layout.byRow !== undefined && this.#movedInTime(event.code)) return true
    switch (event.key) {
      case 'Enter':
        if (this.#selected === undefined) return false
        this.#focus(this.#selected, 'key')
        return true
      case 'Escape':
      case 'Backspace':
        // When nothing is zoomed, the key belongs to the surrounding element, for example a dialog.
        if (this.#focused === ROOT && this.#camera.showsAll) return false
        this.#zoomOut('key')
        return true
      case 'Home':
        this.#selectByKey(ROOT)
        this.#focus(ROOT, 'key')
        return true
      case '+':
      case '=':
        this.#zoomAt(this.#selectedMiddle(), KEY_ZOOM, 'key')
        return true
      case '-':
        this.#zoomAt(this.#selectedMiddle(), 1 / KEY_ZOOM, 'key')
        return true
      case 'PageDown':
      case 'PageUp':
        return this.#scrollBy(0, (event.key === 'PageDown' ? 0.8 : -0.8) * this.#stage.height)
      case 'ContextMenu':
      case 'F10': {
        if (this.#selected === undefined || (event.key === 'F10' && !event.shiftKey)) return false
        this.#callbacks.onContextMenu?.(this.#hitOf(this.#selected, 'keyboard'))
        return true
      }
      default:
        return false
    }
  }

  /** Uses the physical key, so the keys are at the same position in every keyboard layout. */
  #movedInTime(code: string): boolean {
    const at = this.#pointer === undefined ? 0.5 : this.#pointer / this.#stage.width
    switch (code) {
      case 'KeyW':
        this.#zoomAt(at, KEY_ZOOM, 'key')
        return true
      case 'KeyS':
        this.#zoomAt(at, 1 / KEY_ZOOM, 'key')
        return true
      case 'KeyA':
      case 'KeyD':
        this.#scrollBy((code === 'KeyA' ? -KEY_PAN : KEY_PAN) * this.#stage.width, 0)
        this.#settleFocus('key')
        return true
      case 'Digit0':
      case 'Numpad0':
        this.#focus(ROOT, 'key')
        return true
      default:
        return false
    }
  }

  #selectByKey(node: number): void {
    this.reveal(node)
    this.#choose(node, this.#hitOf(node, 'keyboard'))
    this.#callbacks.onAnnounce?.(announcement(this.#layout!.tree, node, this.#options.whole))
  }

  /** The middle of the selected box as a fraction of the window's width. */
  #selectedMiddle(): number {
    const { span } = this.#camera
    if (this.#selected === undefined || span.width === 0) return 0.5
    const { left, width } = this.#camera.spanOf(this.#selected)
    return Math.min(1, Math.max(0, (left + width / 2 - span.left) / span.width))
  }

  // Drawing

  #resized(): void {
    this.#camera.keepWithin()
    // Draws at once: setting the size clears a canvas, which would flash until the next frame.
    this.#render('everything')
    this.#callbacks.onViewChange?.(this.viewport)
  }

  #changed(): void {
    this.#draw('everything')
    this.#callbacks.onViewChange?.(this.viewport)
  }

  #draw(what: 'marks' | 'everything'): void {
    if (this.#stale !== 'everything') this.#stale = what
    if (this.#frameRequest === 0) this.#frameRequest = requestAnimationFrame(time => this.#frame(time))
  }

  #frame(time: number): void {
    this.#frameRequest = 0
    const stale = this.#stale
    this.#stale = 'nothing'
    if (this.#camera.tick(time)) this.#callbacks.onViewChange?.(this.viewport)
    if (stale !== 'nothing') this.#render(stale)
    if (this.#camera.moves) this.#draw('everything')
  }

  #render(what: 'marks' | 'everything'): void {
    const hovered = this.#hovered
    const tree = this.#layout?.tree
    const hoveredFrame = hovered === undefined || hovered === ROOT ? undefined : tree?.frame[hovered]
    const marks = { frame: hoveredFrame ?? this.#markedFrame, hovered, selected: this.#selected }
    this.#stage.render(this.#camera.span, this.#camera.scroll, marks, what)
  }
}
