// A field that completes: what is typed narrows a list, arrows and Enter choose from it. What is not in the list may be
// taken too, where the caller says so.
import type { JSX } from 'preact'
import { useId, useRef, useState } from 'preact/hooks'
import './combo.css'

export interface ComboOption {
  readonly value: string
  /** Instead of the value. */
  readonly title?: string
  /** Quieter, behind it. */
  readonly note?: string
}

export interface ComboProps {
  readonly label: string
  readonly value: string
  readonly options: readonly ComboOption[]
  readonly onChoose: (value: string) => void
  readonly placeholder?: string
  /** Whether text that is no option is taken. */
  readonly free?: boolean
  /** While one types; for lists that the server narrows. */
  readonly onType?: (text: string) => void
  readonly onFocus?: () => void
  readonly width?: number
  readonly autoFocus?: boolean
  /** Shown when there is no option at all. */
  readonly empty?: string
}

const MOST_SHOWN = 200

export function Combo(props: ComboProps): JSX.Element {
  const { label, value, options, onChoose, placeholder, free = false, onType, onFocus, width, autoFocus, empty } = props
  const id = useId()
  const input = useRef<HTMLInputElement>(null)
  /** Undefined while the list is closed: the field then shows what is chosen. */
  const [typed, setTyped] = useState<string | undefined>(undefined)
  /** By its value, as the list may change while one walks it. */
  const [walked, setWalked] = useState<string | undefined>(undefined)
  const open = typed !== undefined
  const shown = matching(options, typed ?? '').slice(0, MOST_SHOWN)
  const active = Math.max(
    0,
    shown.findIndex(option => option.value === walked),
  )
  const title = options.find(option => option.value === value)?.title ?? value

  const show = (text: string): void => {
    setTyped(text)
    setWalked(undefined)
  }
  const choose = (chosen: string): void => {
    setTyped(undefined)
    input.current?.blur()
    onChoose(chosen)
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault()
      if (!open) return show('')
      const next = (active + (event.key === 'ArrowDown' ? 1 : -1) + shown.length) % Math.max(1, shown.length)
      setWalked(shown[next]?.value)
      document.getElementById(`${id}-${next}`)?.scrollIntoView({ block: 'nearest' })
    } else if (event.key === 'Enter') {
      event.preventDefault()
      if (open && shown[active] !== undefined && !(free && typed !== '' && isExactText(typed, shown))) {
        choose(shown[active].value)
      } else if (free && typed !== undefined) choose(typed)
    } else if (event.key === 'Escape' && open) {
      event.preventDefault()
      event.stopPropagation()
      setTyped(undefined)
    }
  }
  return (
    <div class="combo" style={width === undefined ? undefined : { width: `${width}px` }}>
      <input
        ref={input}
        type="text"
        role="combobox"
        aria-label={label}
        aria-expanded={open}
        aria-controls={`${id}-list`}
        aria-autocomplete="list"
        aria-activedescendant={open && shown.length > 0 ? `${id}-${active}` : undefined}
        autocomplete="off"
        spellcheck={false}
        autofocus={autoFocus}
        placeholder={placeholder}
        title={title}
        value={typed ?? title}
        onFocus={event => {
          event.currentTarget.select()
          onFocus?.()
        }}
        onClick={() => {
          if (!open) show('')
        }}
        onInput={event => {
          show(event.currentTarget.value)
          onType?.(event.currentTarget.value)
        }}
        onBlur={() => setTyped(undefined)}
        onKeyDown={onKeyDown}
      />
      <ul id={`${id}-list`} role="listbox" aria-label={label} class="combo-list" hidden={!open}>
        {open &&
          shown.map((option, i) => (
            <li
              key={option.value}
              id={`${id}-${i}`}
              role="option"
              aria-selected={i === active}
              class={i === active ? 'active' : undefined}
              onPointerDown={event => {
                // The field must not lose the focus before the click arrives.
                event.preventDefault()
                choose(option.value)
              }}
            >
              <span>{option.title ?? option.value}</span>
              {option.note !== undefined && <span class="combo-note">{option.note}</span>}
            </li>
          ))}
        {open && shown.length === 0 && (
          <li class="combo-empty" role="option" aria-selected="false" aria-disabled="true">
            {free && typed !== '' ? `Enter takes “${typed}”` : (empty ?? 'Nothing fits')}
          </li>
        )}
      </ul>
    </div>
  )
}

/** Whether Enter means what was typed and not what stands first: only a text that is no beginning of it does. */
function isExactText(typed: string, shown: readonly ComboOption[]): boolean {
  return !shown.some(({ value }) => value.toLowerCase().startsWith(typed.toLowerCase()))
}

/** Those that begin with it first, then those that hold it. */
function matching(options: readonly ComboOption[], typed: string): readonly ComboOption[] {
  if (typed === '') return options
  const wanted = typed.toLowerCase()
  const place = ({ value, title }: ComboOption): number => (title ?? value).toLowerCase().indexOf(wanted)
  return options.filter(option => place(option) >= 0).sort((a, b) => Number(place(a) > 0) - Number(place(b) > 0))
}
