// A button with a popover below. A click outside or Escape closes it, and the focus returns to the button.
import type { ComponentChildren, JSX } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import './popover.css'

export interface PopoverProps {
  readonly open: boolean
  readonly onOpen: (open: boolean) => void
  /** The content of the button. */
  readonly label: ComponentChildren
  readonly title?: string
  readonly buttonClass?: string
  readonly align?: 'left' | 'right'
  readonly children: ComponentChildren
}

export function Popover(props: PopoverProps): JSX.Element {
  const { open, onOpen, label, title, buttonClass, align = 'left', children } = props
  const wrap = useRef<HTMLDivElement>(null)
  const button = useRef<HTMLButtonElement>(null)
  useLayoutEffect(() => {
    if (!open) return undefined
    const away = (event: PointerEvent): void => {
      if (event.target instanceof Node && !wrap.current?.contains(event.target)) onOpen(false)
    }
    addEventListener('pointerdown', away, true)
    return () => removeEventListener('pointerdown', away, true)
  }, [open])
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape' || !open) return
    event.preventDefault()
    event.stopPropagation()
    onOpen(false)
    button.current?.focus()
  }
  return (
    <div class="popover-wrap" ref={wrap} onKeyDown={onKeyDown}>
      <button
        type="button"
        ref={button}
        class={buttonClass}
        title={title}
        aria-label={title}
        aria-expanded={open}
        onClick={() => onOpen(!open)}
      >
        {label}
      </button>
      {open && <div class={`popover ${align}`}>{children}</div>}
    </div>
  )
}
