// The name of a function in a table: shortened at the package, then at the class, and last in the middle of the method.
import type { JSX } from 'preact'
import { nameParts } from '../tree/package-name.ts'
import './frame-label.css'

export function FrameLabel({ name }: { readonly name: string }): JSX.Element {
  return (
    <span class="frame-label">
      {nameParts(name).map((part, i) => (
        <span key={i}>{part}</span>
      ))}
    </span>
  )
}
