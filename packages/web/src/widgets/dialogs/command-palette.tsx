// The command palette: all commands of the current screen, filtered by the typed text.
import type { JSX } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { Command } from '../../state/commands.ts'
import { commands, keyLabels } from '../../state/commands.ts'
import './dialogs.css'

export function CommandPalette({ onClose }: { readonly onClose: () => void }): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null)
  const [typed, setTyped] = useState('')
  const [active, setActive] = useState(0)
  useLayoutEffect(() => dialog.current?.showModal(), [])
  const shown = commands.value.filter(command => command.run !== undefined && matches(command, typed))
  const run = (command: Command | undefined): void => {
    if (command === undefined) return
    onClose()
    command.run?.()
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'ArrowDown') setActive(Math.min(shown.length - 1, active + 1))
    else if (event.key === 'ArrowUp') setActive(Math.max(0, active - 1))
    else if (event.key === 'Enter') run(shown[active])
    else return
    event.preventDefault()
  }
  return (
    <dialog
      ref={dialog}
      class="modal palette"
      aria-label="Commands"
      onClose={onClose}
      onClick={event => {
        if (event.target === dialog.current) onClose()
      }}
    >
      <input
        type="text"
        role="combobox"
        aria-label="Command"
        aria-expanded="true"
        aria-controls="palette-list"
        aria-activedescendant={shown.length > 0 ? `palette-${active}` : undefined}
        placeholder="Search commands"
        spellcheck={false}
        value={typed}
        onInput={event => {
          setTyped(event.currentTarget.value)
          setActive(0)
        }}
        onKeyDown={onKeyDown}
      />
      <ul id="palette-list" role="listbox" aria-label="Commands">
        {shown.map((command, i) => (
          <li
            key={`${command.group} ${command.title}`}
            id={`palette-${i}`}
            role="option"
            aria-selected={i === active}
            ref={element => {
              if (i === active) element?.scrollIntoView({ block: 'nearest' })
            }}
            onClick={() => run(command)}
          >
            <span>{command.title}</span>
            <span class="muted">{command.group}</span>
            {command.keys.slice(0, 1).map(key => (
              <span key={key} class="help-key">
                {keyLabels(key).map(label => (
                  <kbd key={label}>{label}</kbd>
                ))}
              </span>
            ))}
          </li>
        ))}
        {shown.length === 0 && (
          <li role="option" aria-selected="false" class="muted">
            No results
          </li>
        )}
      </ul>
    </dialog>
  )
}

/** Whether the title or group of the command contains every typed word. */
function matches({ title, group }: Command, typed: string): boolean {
  const text = `${title} ${group}`.toLowerCase()
  return typed
    .toLowerCase()
    .split(/\s+/)
    .every(word => text.includes(word))
}
