// A row of buttons, one of which is selected.
import type { JSX } from 'preact'
import './tabs.css'

export interface TabsProps<T extends string> {
  readonly label: string
  readonly options: readonly { readonly value: T; readonly title: string }[]
  readonly value: T
  readonly onChange: (value: T) => void
}

export function Tabs<T extends string>({ label, options, value, onChange }: TabsProps<T>): JSX.Element {
  return (
    <div class="tabs" role="group" aria-label={label}>
      {options.map(option => (
        <button
          key={option.value}
          type="button"
          aria-pressed={option.value === value}
          onClick={() => onChange(option.value)}
        >
          {option.title}
        </button>
      ))}
    </div>
  )
}
