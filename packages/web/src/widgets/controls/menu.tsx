// A context menu. Arrow keys move in it, and items show their keyboard shortcut.
import type { JSX } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { keyLabels } from '../../state/commands.ts'
import './menu.css'

export interface MenuItem {
  readonly title: string
  /** The heading above the first item of the group. */
  readonly group: string
  readonly key?: string
  readonly run: () => void
}

/** In pixels of the window. */
export interface MenuPlace {
  readonly x: number
  readonly y: number
}

export interface MenuProps extends MenuPlace {
  readonly title: string
  readonly items: readonly MenuItem[]
  readonly onClose: () => void
}

const MARGIN = 8

export function Menu({ title, x, y, items, onClose }: MenuProps): JSX.Element {
  const box = useRef<HTMLDivElement>(null)
  // Runs before the menu takes the focus, so the focus can return afterwards.
  useLayoutEffect(() => {
    const before = document.activeElement
    const away = (event: PointerEvent): void => {
      if (event.target instanceof Node && !box.current?.contains(event.target)) onClose()
    }
    addEventListener('pointerdown', away, true)
    return () => {
      removeEventListener('pointerdown', away, true)
      if (before instanceof HTMLElement) before.focus()
    }
  }, [])
  useLayoutEffect(() => {
    const element = box.current!
    const { width, height } = element.getBoundingClientRect()
    element.style.left = `${Math.max(MARGIN, Math.min(x, innerWidth - width - MARGIN))}px`
    element.style.top = `${Math.max(MARGIN, Math.min(y, innerHeight - height - MARGIN))}px`
    element.querySelector('button')?.focus()
  }, [x, y])
  const onKeyDown = (event: KeyboardEvent): void => {
    const buttons = [...(box.current?.querySelectorAll('button') ?? [])]
    const at = buttons.indexOf(document.activeElement as HTMLButtonElement)
    if (event.key === 'Escape' || event.key === 'Tab') onClose()
    else if (event.key === 'ArrowDown') buttons[(at + 1) % buttons.length]?.focus()
    else if (event.key === 'ArrowUp') buttons[(at - 1 + buttons.length) % buttons.length]?.focus()
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  return (
    <div ref={box} class="menu" role="menu" tabIndex={-1} aria-label={title} onKeyDown={onKeyDown}>
      <div class="menu-title code" title={title}>
        {title}
      </div>
      {items.map((item, i) => (
        <div key={item.title} role="presentation">
          {(i === 0 || items[i - 1].group !== item.group) && <div class="menu-group">{item.group}</div>}
          <button
            type="button"
            role="menuitem"
            onClick={() => {
              onClose()
              item.run()
            }}
          >
            {item.title}
            {item.key !== undefined && (
              <span class="menu-key">
                {keyLabels(item.key).map(label => (
                  <kbd key={label}>{label}</kbd>
                ))}
              </span>
            )}
          </button>
        </div>
      ))}
    </div>
  )
}
