// Drags over an element, by which charts select a range.
import type { RefObject } from 'preact'
import { useState } from 'preact/hooks'

/** A position in pixels of the element. */
export interface DragPlace {
  readonly x: number
  readonly y: number
}

export interface Drag {
  readonly from: DragPlace
  readonly to: DragPlace
}

export interface DragHandlers {
  readonly onPointerDown: (event: PointerEvent) => void
  readonly onPointerMove: (event: PointerEvent) => void
  readonly onPointerUp: (event: PointerEvent) => void
  readonly onPointerCancel: () => void
}

/** Shorter drags, in pixels, are clicks. */
const MIN_DRAG = 5

export interface DragOptions {
  readonly onDrag: (drag: Drag) => void
  readonly onClick?: (place: DragPlace) => void
  /** Called while the user is not dragging. */
  readonly onHover?: (place: DragPlace) => void
}

/** Returns the current drag and the event handlers. `drag` is undefined until it is longer than a click. */
export function useDrag(
  host: RefObject<HTMLElement | null>,
  { onDrag, onClick, onHover }: DragOptions,
): { readonly drag: Drag | undefined; readonly handlers: DragHandlers } {
  const [drag, setDrag] = useState<Drag | undefined>(undefined)
  const placeOf = (event: PointerEvent): DragPlace => {
    const { left, top, width, height } = host.current!.getBoundingClientRect()
    return {
      x: Math.max(0, Math.min(width, event.clientX - left)),
      y: Math.max(0, Math.min(height, event.clientY - top)),
    }
  }
  return {
    drag: drag !== undefined && isLong(drag) ? drag : undefined,
    handlers: {
      onPointerDown: event => {
        if (event.button !== 0) return
        host.current!.setPointerCapture(event.pointerId)
        setDrag({ from: placeOf(event), to: placeOf(event) })
      },
      onPointerMove: event => {
        if (drag === undefined) onHover?.(placeOf(event))
        else setDrag({ from: drag.from, to: placeOf(event) })
      },
      onPointerUp: event => {
        if (drag === undefined) return
        setDrag(undefined)
        const whole = { from: drag.from, to: placeOf(event) }
        if (isLong(whole)) onDrag(whole)
        else onClick?.(whole.to)
      },
      onPointerCancel: () => setDrag(undefined),
    },
  }
}

function isLong({ from, to }: Drag): boolean {
  return Math.hypot(to.x - from.x, to.y - from.y) >= MIN_DRAG
}
