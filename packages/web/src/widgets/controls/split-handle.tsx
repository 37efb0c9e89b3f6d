// The handle between two panes. Dragging it, or the arrow keys, change the size of the first pane. The browser keeps the size.
//
//   <div class="split"><Table /><SplitHandle name="table" first={0.4} label="Size of the table" /><FlameGraph /></div>
import type { JSX } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { stored } from '../../state/stored.ts'
import { limitedShare, shareAfterKey } from './split-share.ts'
import './split-handle.css'

export interface SplitHandleProps {
  /** Identifies the size that is kept. */
  readonly name: string
  /** The default share of the first pane, from 0 to 1. */
  readonly first: number
  readonly label: string
}

export function SplitHandle({ name, first, label }: SplitHandleProps): JSX.Element {
  const handle = useRef<HTMLDivElement>(null)
  const choice = stored(`split.${name}`, String(first))
  const share = limitedShare(Number(choice.value), first)
  const set = (next: number): void => void (choice.value = limitedShare(next, first).toFixed(4))
  useLayoutEffect(() => {
    handle.current?.parentElement?.style.setProperty('--split', `${100 * share}%`)
  }, [share])
  const isColumn = (): boolean => {
    const parent = handle.current?.parentElement
    return parent !== null && parent !== undefined && getComputedStyle(parent).flexDirection === 'column'
  }
  const drag = (event: PointerEvent): void => {
    const parent = handle.current?.parentElement
    if (parent === null || parent === undefined || !handle.current!.hasPointerCapture(event.pointerId)) return
    const { left, top, width, height } = parent.getBoundingClientRect()
    set(isColumn() ? (event.clientY - top) / height : (event.clientX - left) / width)
  }
  return (
    <div
      ref={handle}
      class="split-handle"
      role="separator"
      tabIndex={0}
      aria-label={label}
      aria-valuemin={10}
      aria-valuemax={90}
      aria-valuenow={Math.round(100 * share)}
      title="Drag to resize, double-click to reset"
      onPointerDown={event => {
        handle.current!.setPointerCapture(event.pointerId)
        event.preventDefault()
      }}
      onPointerMove={drag}
      onDblClick={() => set(first)}
      onKeyDown={event => {
        const next = shareAfterKey(event.key, share, first)
        if (next === undefined) return
        event.preventDefault()
        set(next)
      }}
    />
  )
}
