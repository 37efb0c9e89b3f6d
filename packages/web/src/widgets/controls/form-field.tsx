// One line of a form: title, field and hint.
import type { ComponentChildren, JSX } from 'preact'
import './form-field.css'

export interface FormFieldProps {
  readonly title: string
  readonly hint?: ComponentChildren
  readonly children: ComponentChildren
}

export function FormField({ title, hint = '', children }: FormFieldProps): JSX.Element {
  return (
    <div class="form-field">
      <span class="form-field-title" aria-hidden="true">
        {title}
      </span>
      <div>
        {children}
        {hint !== '' && <p class="muted form-field-hint">{hint}</p>}
      </div>
    </div>
  )
}
