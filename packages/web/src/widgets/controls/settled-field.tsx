// A field whose value changes on blur or Enter. The typed text stays until then, also when the surroundings render
// again.
import type { JSX, TargetedEvent } from 'preact'
import { useState } from 'preact/hooks'

export interface SettledFieldProps {
  readonly label: string
  readonly value: string
  readonly onValue: (value: string) => void
  readonly class: string
  readonly placeholder: string
  readonly title?: string
  /** Whether it has the browser's clear button, which needs space. */
  readonly canClear?: boolean
}

export function SettledField({ label, value, onValue, canClear = false, ...rest }: SettledFieldProps): JSX.Element {
  /** Undefined while the user does not type. The field then shows the value. */
  const [typed, setTyped] = useState<string | undefined>(undefined)
  const field = {
    ...rest,
    'aria-label': label,
    spellcheck: false,
    value: typed ?? value,
    onInput: (event: TargetedEvent<HTMLInputElement>) => setTyped(event.currentTarget.value),
    onChange: (event: TargetedEvent<HTMLInputElement>) => {
      setTyped(undefined)
      onValue(event.currentTarget.value.trim())
    },
    onBlur: () => setTyped(undefined),
  }
  return canClear ? <input type="search" {...field} /> : <input type="text" {...field} />
}
