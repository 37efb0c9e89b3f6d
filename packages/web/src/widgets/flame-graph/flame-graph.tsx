// The flame graph as a component: passes trees and options to the drawing, and reports pointer and key events.
import type { Signal } from '@preact/signals'
import { useSignal, useSignalEffect } from '@preact/signals'
import type { JSX } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import type {
  ColourBy,
  FlameGraphHit,
  FlameGraphViewport,
  FocusChange,
  Orientation,
  Palette,
} from '../../draw/flame-graph/flame-graph-view.ts'
import { FlameGraphView } from '../../draw/flame-graph/flame-graph-view.ts'
import { theme } from '../../state/theme.ts'
import { isTouch } from '../../state/touch.ts'
import type { CallTree, SideObservations } from '@hearth/profile'
import { BoxTooltip } from './box-tooltip.tsx'
import { FlameMinimap } from './minimap.tsx'
import type { MenuPlace } from '../controls/menu.tsx'
import './flame-graph.css'

export interface FlameGraphProps {
  readonly tree: CallTree | undefined
  readonly label: string
  readonly orientation: Orientation
  readonly colourBy: ColourBy
  readonly palette: Palette
  readonly hidesRoot?: boolean
  /** The whole that shares refer to, in words: `total` by default. */
  readonly whole?: string
  /** A byte for each frame, not 0 if it matches the search; undefined without a search. */
  readonly matches?: Uint8Array | undefined
  /** The number of observations of the samples, for the tooltip; of both sides for a diff. */
  readonly observations?: number | SideObservations | undefined
  readonly focus?: readonly string[]
  /** The frame that is marked everywhere, for a table beside the graph. */
  readonly marked?: Signal<number | undefined>
  readonly onHover?: (hit: FlameGraphHit | undefined) => void
  readonly onSelect?: (hit: FlameGraphHit | undefined) => void
  readonly onMenu?: ((hit: FlameGraphHit, place: MenuPlace) => void) | undefined
  readonly onFocus?: (change: FocusChange) => void
  readonly onViewChange?: (viewport: FlameGraphViewport) => void
  /** Passes the drawing to the caller, for images and for stepping through matches. */
  readonly onReady?: (view: FlameGraphView | undefined) => void
}

/** Boxes for a mouse, and for fingers. */
const ROWS = { rowHeight: 20, fontSize: 12 }
const TOUCH_ROWS = { rowHeight: 30, fontSize: 13 }

export function FlameGraph(props: FlameGraphProps): JSX.Element {
  const host = useRef<HTMLDivElement>(null)
  const view = useRef<FlameGraphView | undefined>(undefined)
  const latest = useRef(props)
  latest.current = props
  const [said, setSaid] = useState('')
  const pointed = useSignal<FlameGraphHit | undefined>(undefined)
  const viewport = useSignal<FlameGraphViewport | undefined>(undefined)
  const [drawn, setDrawn] = useState<FlameGraphView | undefined>(undefined)
  const {
    tree,
    label,
    orientation,
    colourBy,
    palette,
    hidesRoot = false,
    whole = 'total',
    matches,
    focus = [],
    observations,
    marked,
    onReady,
  } = props

  // All of these are layout effects: the graph and its surroundings appear in one frame, and keys act on what is shown.
  useLayoutEffect(() => {
    const element = host.current!
    const made = new FlameGraphView(
      element,
      {
        onHover: hit => {
          pointed.value = hit
          latest.current.onHover?.(hit)
        },
        onSelect: hit => latest.current.onSelect?.(hit),
        onFocusChange: change => latest.current.onFocus?.(change),
        onContextMenu: hit => {
          pointed.value = undefined
          const { left, top } = element.getBoundingClientRect()
          latest.current.onMenu?.(hit, { x: left + hit.x, y: top + hit.y })
        },
        onViewChange: seen => {
          viewport.value = seen
          latest.current.onViewChange?.(seen)
        },
        onAnnounce: setSaid,
      },
      { orientation, colourBy, palette, hidesRoot, whole, theme: theme.peek() },
    )
    view.current = made
    setDrawn(made)
    onReady?.(made)
    // Measures the names again when the font is loaded.
    void document.fonts.ready.then(() => made.setOptions({}))
    return () => {
      view.current = undefined
      setDrawn(undefined)
      onReady?.(undefined)
      made.destroy()
    }
  }, [])

  useLayoutEffect(() => {
    view.current?.setTree(tree)
    // Calls in time order have no path.
    if (tree?.times === undefined) view.current?.focus(latest.current.focus ?? [])
  }, [tree])
  useLayoutEffect(() => view.current?.setOptions({ orientation, colourBy, palette }), [orientation, colourBy, palette])
  const sides = typeof observations === 'object' ? observations : undefined
  useLayoutEffect(
    () => view.current?.setOptions({ observations: sides }),
    [sides?.before, sides?.after, sides?.between],
  )
  useLayoutEffect(() => view.current?.setSearch(matches && { matches }), [matches, tree])
  const path = focus.join('\u0000')
  useLayoutEffect(() => {
    const drawing = view.current
    if (drawing !== undefined && tree !== undefined) drawing.focus(focus)
  }, [path])
  useSignalEffect(() => view.current?.setTheme(theme.value))
  useSignalEffect(() => view.current?.setOptions(isTouch.value ? TOUCH_ROWS : ROWS))
  useSignalEffect(() => view.current?.setMarkedFrame(marked?.value))

  return (
    <div class="flame-graph">
      <div class="flame-graph-host" ref={host} role="group" aria-label={label} />
      <BoxTooltip tree={tree} hit={pointed} whole={whole} observations={observations} />
      <FlameMinimap view={drawn} viewport={viewport} tree={tree} orientation={orientation} theme={theme.value} />
      <p class="visually-hidden" aria-live="polite">
        {said}
      </p>
    </div>
  )
}
