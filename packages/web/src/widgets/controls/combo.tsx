// An input with a list of options. Typing filters the list, arrows and Enter choose. Other text is accepted if the
// caller allows it.
import type { JSX } from 'preact'
import { useId, useRef, useState } from 'preact/hooks'
import './combo.css'

interface ComboOption {
  readonly value: string
  /** Shown instead of the value. */
  readonly title?: string
  /** Shown behind it in a muted colour. */
  readonly note?: string
}

export interface ComboProps {
  readonly label: string
  readonly value: string
  /** Shown for a value that is not an option; the value itself by default. */
  readonly shown?: string
  readonly options: readonly ComboOption[]
  readonly onChoose: (value: string) => void
  readonly placeholder?: string
  /** Whether text that is not an option is accepted. */
  readonly free?: boolean
  /** Called while typing, for lists that the server filters. */
  readonly onType?: (text: string) => void
  readonly onFocus?: () => void
  readonly width?: number
  readonly autoFocus?: boolean
  /** Shown if there are no options. */
  readonly empty?: string
}

const MAX_SHOWN = 200

export function Combo(props: ComboProps): JSX.Element {
  const { label, value, options, onChoose, placeholder, free = false, onType, onFocus, width, autoFocus, empty } = props
  const id = useId()
  const input = useRef<HTMLInputElement>(null)
  /** Undefined while the list is closed. The field then shows the value. */
  const [typed, setTyped] = useState<string | undefined>(undefined)
  /** The highlighted option by value, because the list can change meanwhile. */
  const [walked, setWalked] = useState<string | undefined>(undefined)
  const open = typed !== undefined
  const shown = matching(options, typed ?? '').slice(0, MAX_SHOWN)
  const active = Math.max(
    0,
    shown.findIndex(option => option.value === walked),
  )
  const title = options.find(option => option.value === value)?.title ?? props.shown ?? value

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
                // Keeps the focus in the field until the click arrives.
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
            {free && typed !== '' ? `Press Enter to use “${typed}”` : (empty ?? 'No results')}
          </li>
        )}
      </ul>
    </div>
  )
}

/** Whether Enter chooses the typed text instead of the first option. That is the case if no option starts with it. */
function isExactText(typed: string, shown: readonly ComboOption[]): boolean {
  return !shown.some(({ value }) => value.toLowerCase().startsWith(typed.toLowerCase()))
}

/** Options that start with the text first, then those that contain it. */
function matching(options: readonly ComboOption[], typed: string): readonly ComboOption[] {
  if (typed === '') return options
  const wanted = typed.toLowerCase()
  const place = ({ value, title }: ComboOption): number => (title ?? value).toLowerCase().indexOf(wanted)
  return options.filter(option => place(option) >= 0).sort((a, b) => Number(place(a) > 0) - Number(place(b) > 0))
}
