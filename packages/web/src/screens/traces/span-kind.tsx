// The kind of a span that calls, or is called by, another service. Both sides of a call have spans of the same name.
import type { JSX } from 'preact'
import './span-kind.css'

export function SpanKind({ kind }: { readonly kind: string }): JSX.Element {
  return isRemote(kind) ? <span class="span-kind">{kind}</span> : <></>
}

function isRemote(kind: string): boolean {
  return kind === 'client' || kind === 'server' || kind === 'producer' || kind === 'consumer'
}
