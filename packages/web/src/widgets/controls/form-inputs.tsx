// Form fields, each with a label for screen readers.
import type { JSX } from 'preact'
import { parseDuration } from '../../address/time-range.ts'
import './form-field.css'

interface InputProps {
  readonly label: string
  readonly value: string
  readonly onValue: (value: string) => void
}

export interface TextInputProps extends InputProps {
  readonly longest: number
  /** Whether the value is a name in monospaced font. */
  readonly isCode?: boolean
  readonly isFixed?: boolean
}

export function TextInput({ label, value, onValue, longest, isCode = false, isFixed }: TextInputProps): JSX.Element {
  return (
    <input
      type="text"
      class={isCode ? 'code form-wide' : 'form-wide'}
      aria-label={label}
      spellcheck={!isCode}
      maxLength={longest}
      disabled={isFixed}
      value={value}
      onInput={event => onValue(event.currentTarget.value)}
    />
  )
}

/** A duration, such as `10s`. */
export function DurationInput({ label, value, onValue }: InputProps): JSX.Element {
  return (
    <input
      type="text"
      class="code"
      aria-label={label}
      aria-invalid={parseDuration(value) === undefined}
      value={value}
      onInput={event => onValue(event.currentTarget.value)}
    />
  )
}

export interface NumberInputProps extends InputProps {
  readonly unit: string
  readonly least: number
  readonly most: number
  readonly placeholder?: string
}

export function NumberInput({ label, value, onValue, unit, least, most, placeholder }: NumberInputProps): JSX.Element {
  return (
    <>
      <input
        type="number"
        aria-label={label}
        min={least}
        max={most}
        step="any"
        placeholder={placeholder}
        value={value}
        onInput={event => onValue(event.currentTarget.value)}
      />{' '}
      {unit}
    </>
  )
}

/** Samples per second; empty for the default. */
export function FrequencyInput({ value, onValue }: Omit<InputProps, 'label'>): JSX.Element {
  return (
    <NumberInput
      label="Frequency in Hz"
      unit="Hz"
      least={1}
      most={10_000}
      placeholder="default"
      value={value}
      onValue={onValue}
    />
  )
}

export interface TickProps {
  readonly label: string
  readonly isOn: boolean
  readonly onChange: (isOn: boolean) => void
}

export function CheckBox({ label, isOn, onChange }: TickProps): JSX.Element {
  return (
    <label class="form-tick">
      <input type="checkbox" checked={isOn} onChange={event => onChange(event.currentTarget.checked)} /> {label}
    </label>
  )
}
