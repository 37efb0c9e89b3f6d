// What a flame graph view is told and tells: options, callbacks and the shapes of its answers.
import type { CallTree } from '@hearth/profile'
import type { Theme } from '../theme.ts'
import type { Minimap } from './minimap.ts'

/** Icicles grow down from the root, flames up. */
export type Orientation = 'icicle' | 'flame'
/** What the hue of a box tells. 'thread' needs a tree with thread.name at its root; 'diff' needs a tree with `before`. */
export type ColourBy = 'package' | 'library' | 'file' | 'frame-type' | 'thread' | 'function' | 'value' | 'diff'
export type Palette = 'standard' | 'colour-blind'

export interface FlameGraphOptions {
  readonly orientation: Orientation
  readonly colourBy: ColourBy
  readonly palette: Palette
  readonly theme: Theme
  /** CSS pixels. */
  readonly rowHeight: number
  readonly fontSize: number
  readonly fontFamily: string
  /** Whether a name that does not fit loses its beginning (package, path) instead of its end. */
  readonly shortNames: boolean
  /** Whether the row of everything is out of sight, where it would say what stands beside the graph. */
  readonly hidesRoot: boolean
  /** What shares are of, in words. */
  readonly whole: string
  /** Overrides prefers-reduced-motion. */
  readonly animate: boolean | undefined
}

/** Names of frames from the root down: what a node is called by where its number does not last. Empty for everything. */
export type NodePath = readonly string[]

export interface FlameGraphHit {
  /** ROOT (-1) for the box of everything. */
  readonly node: number
  /** -1 for the box of everything. */
  readonly frame: number
  readonly path: NodePath
  /** Of the box as far as it can be seen, in CSS pixels of the host element. */
  readonly box: { readonly x: number; readonly y: number; readonly width: number; readonly height: number }
  /** The pointer, in CSS pixels of the host element; the middle of the box when it was the keyboard. */
  readonly x: number
  readonly y: number
  readonly by: 'pointer' | 'keyboard'
}

export interface FocusChange {
  readonly node: number
  readonly path: NodePath
  /** Nodes from the root to the focused one, for breadcrumbs; ROOT is not among them. */
  readonly nodes: readonly number[]
  /** 'wheel' and 'drag' come many times a second: for replaceState; the others are for pushState. */
  readonly by: 'click' | 'key' | 'wheel' | 'drag' | 'call'
}

export interface FlameGraphCallbacks {
  /** Undefined when the pointer left every box. */
  readonly onHover?: (hit: FlameGraphHit | undefined) => void
  readonly onSelect?: (hit: FlameGraphHit | undefined) => void
  readonly onContextMenu?: (hit: FlameGraphHit) => void
  readonly onFocusChange?: (change: FocusChange) => void
  /** After every change of what can be seen (zoom, pan, scroll, resize): for scroll bars and the minimap. */
  readonly onViewChange?: (view: FlameGraphViewport) => void
  /** A line for an aria-live element, when the keyboard moved. */
  readonly onAnnounce?: (text: string) => void
}

/** What of the graph can be seen. */
export interface FlameGraphViewport {
  /** Parts of the whole width, 0 to 1. */
  readonly left: number
  readonly right: number
  /** Rows, with fractions, counted from the root's. */
  readonly top: number
  readonly bottom: number
  /** Of the deepest stack, the row of everything included. */
  readonly rows: number
}

export interface SearchMarks {
  /** One byte per frame of the tree, not 0 where it matches; see tree/search.ts. */
  readonly matches: Uint8Array
}

export interface FlameGraphApi {
  /** Keeps focus and selection where their paths exist in the new tree. */
  setTree(tree: CallTree | undefined): void
  setOptions(options: Partial<FlameGraphOptions>): void
  setTheme(theme: Theme): void
  /** What does not match is dimmed; undefined ends it. */
  setSearch(marks: SearchMarks | undefined): void
  /** Marks a function everywhere, as hovering does: for a table beside the graph. */
  setMarkedFrame(frame: number | undefined): void
  /** Zooms to the node of that path, or the deepest of its callers that exists, unless it is focused already; returns it. */
  focus(path: NodePath): number
  /** Zooms to it in any case. */
  focusNode(node: number): void
  select(node: number | undefined): void
  /** Scrolls and zooms as little as it takes to see the node. */
  reveal(node: number): void
  /** Looks at a part of the whole width, 0 to 1. */
  look(left: number, right: number): void
  /** One out of the focused box, as Escape does. */
  zoomOut(): void
  reset(): void
  readonly focused: number
  readonly selected: number | undefined
  readonly viewport: FlameGraphViewport
  scrollTo(top: number): void
  /** The outline of the whole graph, so many pixels wide. */
  minimap(pixels: number): Minimap
  /** Of the zoomed part with all its rows; `scale` pixels a pixel, 2 unless given. */
  toPng(scale?: number): Promise<Blob>
  /** The same as text. */
  toSvg(title?: string): string
  destroy(): void
}
