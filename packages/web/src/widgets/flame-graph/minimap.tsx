// A small picture of the whole graph with the visible part. It is shown while a part of the graph is outside of the window.
// Dragging in it moves the window.
import type { Signal } from '@preact/signals'
import type { CallTree } from '@hearth/profile'
import type { JSX } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import type { FlameGraphView, FlameGraphViewport, Orientation } from '../../draw/flame-graph/flame-graph-view.ts'
import { isPartOutside, minimapWindow, movedTo } from '../../draw/flame-graph/minimap.ts'

export interface FlameMinimapProps {
  readonly view: FlameGraphView | undefined
  readonly viewport: Signal<FlameGraphViewport | undefined>
  readonly tree: CallTree | undefined
  readonly orientation: Orientation
  readonly theme: string
}

const WIDTH = 180
const HEIGHT = 56

export function FlameMinimap({ view, viewport, tree, orientation, theme }: FlameMinimapProps): JSX.Element | undefined {
  const canvas = useRef<HTMLCanvasElement>(null)
  const shown = viewport.value
  const isShown = view !== undefined && tree !== undefined && shown !== undefined && isPartOutside(shown)
  // After the layout effects of the graph, which sets the tree.
  useEffect(() => {
    const pen = isShown ? canvas.current?.getContext('2d') : undefined
    if (pen === null || pen === undefined || view === undefined) return
    const ratio = Math.max(1, devicePixelRatio)
    pen.canvas.width = WIDTH * ratio
    pen.canvas.height = HEIGHT * ratio
    pen.setTransform(ratio, 0, 0, ratio, 0, 0)
    const { rows, depth } = view.minimap(WIDTH)
    pen.fillStyle = getComputedStyle(pen.canvas).color
    for (let x = 0; x < WIDTH; x++) {
      const high = (depth[x] / Math.max(1, rows)) * HEIGHT
      pen.fillRect(x, orientation === 'icicle' ? 0 : HEIGHT - high, 1, high)
    }
  }, [isShown, view, tree, orientation, theme])
  if (!isShown) return undefined
  const at = minimapWindow(shown, orientation)
  const move = (event: PointerEvent): void => {
    if (event.buttons === 0) return
    const { left, top } = canvas.current!.getBoundingClientRect()
    const to = movedTo(shown, orientation, (event.clientX - left) / WIDTH, (event.clientY - top) / HEIGHT)
    view.look(to.left, to.right)
    view.scrollRows(to.rows)
  }
  return (
    <div
      class={`flame-minimap ${orientation}`}
      aria-hidden="true"
      title="Drag to move the visible part"
      onPointerDown={event => {
        event.currentTarget.setPointerCapture(event.pointerId)
        move(event)
      }}
      onPointerMove={move}
    >
      <canvas ref={canvas} style={{ width: `${WIDTH}px`, height: `${HEIGHT}px` }} />
      <span
        style={{
          left: `${100 * at.left}%`,
          width: `${100 * at.width}%`,
          top: `${100 * at.top}%`,
          height: `${100 * at.height}%`,
        }}
      />
    </div>
  )
}
