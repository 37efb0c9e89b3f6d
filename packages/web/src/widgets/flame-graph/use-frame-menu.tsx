// The menu with the actions for a function of a flame graph or a table.
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { MenuPlace } from '../controls/menu.tsx'
import { Menu } from '../controls/menu.tsx'
import type { ActionContext, ActionTarget } from './frame-actions.ts'
import { frameActions } from './frame-actions.ts'

/** `openMenu` ignores undefined, which stands for the root of a graph. */
export function useFrameMenu(context: ActionContext): {
  readonly menu: JSX.Element | undefined
  readonly openMenu: (target: ActionTarget | undefined, place: MenuPlace) => void
} {
  const [open, setOpen] = useState<{ readonly target: ActionTarget; readonly place: MenuPlace } | undefined>(undefined)
  return {
    menu: open && (
      <Menu
        title={open.target.name}
        {...open.place}
        items={frameActions(open.target, context)}
        onClose={() => setOpen(undefined)}
      />
    ),
    openMenu: (target, place) => target && setOpen({ target, place }),
  }
}
