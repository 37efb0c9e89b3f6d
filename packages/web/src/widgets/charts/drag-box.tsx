// Marks the range that the user is dragging over a chart.
import type { JSX } from 'preact'
import './drag-box.css'
import type { Drag } from './use-drag.ts'

export interface DragBoxProps {
  readonly drag: Drag | undefined
  /** `times` marks the whole height. */
  readonly selects: 'times' | 'times and values'
}

export function DragBox({ drag, selects }: DragBoxProps): JSX.Element | undefined {
  if (drag === undefined) return undefined
  const { from, to } = drag
  const times = { left: `${Math.min(from.x, to.x)}px`, width: `${Math.abs(to.x - from.x)}px` }
  if (selects === 'times') return <span class="drag-box times" style={times} />
  const values = { top: `${Math.min(from.y, to.y)}px`, height: `${Math.abs(to.y - from.y)}px` }
  return <span class="drag-box" style={{ ...times, ...values }} />
}
