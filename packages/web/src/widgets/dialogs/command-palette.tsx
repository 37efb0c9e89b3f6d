// The command palette: commands, saved views, services, operations, functions, labels and ids, by the typed text.
import type { JSX } from 'preact'
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import { keyLabels } from '../../state/commands.ts'
import { navigate } from '../../state/navigation.ts'
import { routeOfId } from '../../state/open-id.ts'
import { handleUnauthorized } from '../../state/session.ts'
import type { PaletteItem } from './palette-items.ts'
import { idIn, matchingItems } from './palette-items.ts'
import { usePaletteItems } from './use-palette-items.ts'
import './dialogs.css'

export interface CommandPaletteProps {
  readonly onClose: () => void
  /** Whether there is a server to query. */
  readonly withData: boolean
  /** The text to start with. */
  readonly text?: string
}

export function CommandPalette({ onClose, withData, text = '' }: CommandPaletteProps): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null)
  const [typed, setTyped] = useState(text)
  const [active, setActive] = useState(0)
  const [problem, setProblem] = useState('')
  useLayoutEffect(() => dialog.current?.showModal(), [])
  const items = usePaletteItems(withData)
  const id = withData ? idIn(typed) : undefined
  const shown = useMemo(() => {
    const matching = matchingItems(items, typed)
    if (id === undefined) return matching
    const open: PaletteItem = { title: `Open trace or profile ${id}`, group: 'ID', note: '', run: () => undefined }
    return [open, ...matching]
  }, [items, typed, id])
  const openId = async (wanted: string): Promise<void> => {
    try {
      const found = await routeOfId(wanted)
      if (found === undefined) return setProblem(`No trace or profile has the ID ${wanted}`)
      onClose()
      navigate(found)
    } catch (error) {
      handleUnauthorized(error)
      setProblem(error instanceof Error ? error.message : String(error))
    }
    return undefined
  }
  const run = (item: PaletteItem | undefined): void => {
    if (item === undefined) return
    if (item.group === 'ID' && id !== undefined) return void openId(id)
    onClose()
    item.run()
  }
  // A pasted id opens at once.
  useLayoutEffect(() => {
    if (text !== '' && id !== undefined) void openId(id)
  }, [])
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
        placeholder={withData ? 'Search services, functions, operations, labels, IDs and commands' : 'Search commands'}
        spellcheck={false}
        value={typed}
        onInput={event => {
          setTyped(event.currentTarget.value)
          setActive(0)
          setProblem('')
        }}
        onKeyDown={onKeyDown}
      />
      {problem !== '' && (
        <p class="palette-problem" role="alert">
          {problem}
        </p>
      )}
      <ul id="palette-list" role="listbox" aria-label="Commands">
        {shown.map((item, i) => (
          <li
            key={`${i} ${item.group} ${item.title}`}
            id={`palette-${i}`}
            role="option"
            aria-selected={i === active}
            ref={element => {
              if (i === active) element?.scrollIntoView({ block: 'nearest' })
            }}
            onClick={() => run(item)}
          >
            <span class={item.group === 'Functions' ? 'code' : undefined}>{item.title}</span>
            <span class="muted palette-note">{item.note}</span>
            <span class="muted">{item.group === 'Commands' ? '' : GROUP_TITLES[item.group]}</span>
            {(item.keys ?? []).slice(0, 1).map(key => (
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

const GROUP_TITLES: Readonly<Record<PaletteItem['group'], string>> = {
  ID: '',
  Commands: '',
  Views: '',
  Services: '',
  Operations: 'operation',
  Functions: 'function',
  Labels: 'label',
}
