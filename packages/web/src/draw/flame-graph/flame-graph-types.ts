// Options, callbacks and result types of a flame graph view.
import type { CallTree, SideObservations } from '@hearth/profile'
import type { Theme } from '../theme.ts'

/** Icicles grow down from the root, flames grow up. */
export type Orientation = 'icicle' | 'flame'
/**
 * The property that decides the hue of a box. 'thread' needs a tree with thread.name at its root. 'diff' needs a tree
 * with `before`.
 */
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
  /** Whether a name that does not fit loses its start (package, path) instead of its end. */
  readonly shortNames: boolean
  /** Whether the row of the root is hidden, because its value is shown beside the graph. */
  readonly hidesRoot: boolean
  /** The whole that shares refer to, in words. */
  readonly whole: string
  /** The number of observations of both sides of a diff. With them, changes that may be chance are pale. */
  readonly observations: SideObservations | undefined
  /** Overrides prefers-reduced-motion. */
  readonly animate: boolean | undefined
}

/** Frame names from the root down. They identify a node where its number is not stable. Empty for the root. */
export type NodePath = readonly string[]

export interface FlameGraphHit {
  /** The node, or ROOT (-1). */
  readonly node: number
  /** The frame, or -1 for the root. */
  readonly frame: number
  readonly path: NodePath
  /** The visible part of the box, in CSS pixels of the host element. */
  readonly box: { readonly x: number; readonly y: number; readonly width: number; readonly height: number }
  /** The pointer, in CSS pixels of the host element. For keyboard events, the middle of the box. */
  readonly x: number
  readonly y: number
  readonly by: 'pointer' | 'keyboard'
}

export interface FocusChange {
  readonly node: number
  readonly path: NodePath
  /** Nodes from the root to the focused one, for breadcrumbs. ROOT is not included. */
  readonly nodes: readonly number[]
  /**
   * The input that changed the focus. 'wheel' and 'drag' occur many times a second: use replaceState. Use pushState for
   * the others.
   */
  readonly by: 'click' | 'key' | 'wheel' | 'drag' | 'call'
}

export interface FlameGraphCallbacks {
  /** Called with undefined when the pointer left every box. */
  readonly onHover?: (hit: FlameGraphHit | undefined) => void
  readonly onSelect?: (hit: FlameGraphHit | undefined) => void
  readonly onContextMenu?: (hit: FlameGraphHit) => void
  readonly onFocusChange?: (change: FocusChange) => void
  /** Called after every change of the visible part (zoom, pan, scroll, resize): for scroll bars and the minimap. */
  readonly onViewChange?: (view: FlameGraphViewport) => void
  /** Called with a line for an aria-live element when the keyboard moved the selection. */
  readonly onAnnounce?: (text: string) => void
}

/** The visible part of the graph. */
export interface FlameGraphViewport {
  /** Fractions of the whole width, 0 to 1. */
  readonly left: number
  readonly right: number
  /** Rows, with fractions, counted from the row of the root. */
  readonly top: number
  readonly bottom: number
  /** The number of rows of the deepest stack, including the row of the root. */
  readonly rows: number
}

/** The outline of the whole graph. */
export interface Minimap {
  /** The number of rows of the graph. */
  readonly rows: number
  /** The number of rows at each pixel of the width, including the row of the root. */
  readonly depth: Uint32Array
}

export interface SearchMarks {
  /** One byte per frame of the tree, not 0 if it matches; see matchFrames. */
  readonly matches: Uint8Array
}

export interface FlameGraphApi {
  /** Keeps focus and selection if their paths exist in the new tree. */
  setTree(tree: CallTree | undefined): void
  setOptions(options: Partial<FlameGraphOptions>): void
  setTheme(theme: Theme): void
  /** Dims boxes that do not match; undefined ends the search. */
  setSearch(marks: SearchMarks | undefined): void
  /** Marks a function everywhere, like hovering: for a table beside the graph. */
  setMarkedFrame(frame: number | undefined): void
  /**
   * Zooms to the node of the path, or to its deepest caller that exists. Does nothing if that node is already focused.
   * Returns the node.
   */
  focus(path: NodePath): number
  select(node: number | undefined): void
  /** Scrolls and zooms as little as needed to show the node. */
  reveal(node: number): void
  /** Shows a part of the whole width, 0 to 1. */
  look(left: number, right: number): void
  /** Scrolls by a number of rows, with fractions. */
  scrollRows(rows: number): void
  /** Zooms out of the focused box, like Escape. */
  zoomOut(): void
  reset(): void
  readonly focused: number
  readonly selected: number | undefined
  readonly viewport: FlameGraphViewport
  /** The outline of the whole graph, `pixels` wide. */
  minimap(pixels: number): Minimap
  /** An image of the zoomed part with all its rows. `scale` is image pixels per CSS pixel, 2 by default. */
  toPng(scale?: number): Promise<Blob>
  /** The same image as SVG text. */
  toSvg(title?: string): string
  destroy(): void
}
