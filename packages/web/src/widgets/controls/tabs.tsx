// A row of buttons, one of which is selected.
import type { JSX } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import './tabs.css'

export interface TabsProps<T extends string> {
  readonly label: string
  readonly options: readonly { readonly value: T; readonly title: string }[]
  readonly value: T
  readonly onChange: (value: T) => void
}

export function Tabs<T extends string>({ label, options, value, onChange }: TabsProps<T>): JSX.Element {
  const host = useRef<HTMLDivElement>(null)
  // In a narrow window the row scrolls, and the selected button can be outside.
  useLayoutEffect(() => {
    const show = (): void => {
      const [row, selected] = [host.current, host.current?.querySelector<HTMLElement>('[aria-pressed=true]')]
      if (row === null || selected === null || selected === undefined) return
      const left = selected.offsetLeft - row.offsetLeft
      const { offsetWidth: width } = selected
      if (left < row.scrollLeft || left + width > row.scrollLeft + row.clientWidth) row.scrollLeft = left - width / 2
    }
    show()
    addEventListener('resize', show)
    return () => removeEventListener('resize', show)
  }, [value])
  return (
    <div class="tabs" role="group" aria-label={label} ref={host}>
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
