// The name of a function in a table: shortened at the package, so that the method stays readable.
import type { JSX } from 'preact'
import { splitName } from '../tree/package-name.ts'
import './frame-label.css'

export function FrameLabel({ name }: { readonly name: string }): JSX.Element {
  const [qualifier, method] = splitName(name)
  return (
    <span class="frame-label">
      {qualifier !== '' && <span>{qualifier}</span>}
      <span>{method}</span>
    </span>
  )
}
