// A menu of files to save. Errors and losses are shown below and keep the menu open.
import type { ComponentChildren, JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { WrittenFile } from '../../api/profile-source.ts'
import { Icon } from './icon.tsx'
import { Popover } from './popover.tsx'

/** Returns a message to show, or an empty text. */
type Saving = () => Promise<string> | string

export interface SaveMenuProps {
  readonly title: string
  readonly children: (run: (saving: Saving) => void) => ComponentChildren
}

export function SaveMenu({ title, children }: SaveMenuProps): JSX.Element {
  const [open, setOpen] = useState(false)
  const [said, setSaid] = useState('')
  const run = async (saving: Saving): Promise<void> => {
    setSaid('')
    try {
      const text = await saving()
      if (text === '') setOpen(false)
      else setSaid(text)
    } catch (error) {
      setSaid(error instanceof Error ? error.message : String(error))
    }
  }
  return (
    <Popover
      open={open}
      onOpen={setOpen}
      align="right"
      label={
        <>
          <Icon name="download" /> <span class="save-title">{title}</span>
        </>
      }
    >
      <ul class="menu-list">{children(saving => void run(saving))}</ul>
      {said !== '' && (
        <p class="popover-body" role="alert">
          {said}
        </p>
      )}
    </Popover>
  )
}

export interface SaveItemProps {
  readonly title: string
  readonly hint?: string
  /** At the end of the line. */
  readonly note?: string
  readonly onChoose: () => void
}

export function SaveItem({ title, hint, note, onChoose }: SaveItemProps): JSX.Element {
  return (
    <li>
      <button type="button" title={hint} onClick={onChoose}>
        {title}
        {note !== undefined && <span class="menu-end code">{note}</span>}
      </button>
    </li>
  )
}

/** A message about data that the format cannot represent. */
export function lossText(format: string, { notes }: WrittenFile): string {
  if (notes.length === 0) return ''
  return `Saved. ${format} cannot represent everything: ${notes.map(note => note.message).join('; ')}`
}
