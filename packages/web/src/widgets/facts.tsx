// Keys and values below a heading, as profiles, spans and log records tell of themselves.
import type { ComponentChildren, JSX } from 'preact'
import './facts.css'

export interface Fact {
  readonly key: string
  readonly value: ComponentChildren
}

export interface FactsProps {
  readonly title: string
  readonly properties: readonly Fact[]
}

export function Facts({ title, properties }: FactsProps): JSX.Element {
  return (
    <section class="facts">
      <h2>{title}</h2>
      {properties.length === 0 && <p class="muted">none</p>}
      <dl>
        {properties.map(({ key, value }, i) => (
          <div key={`${i}-${key}`}>
            <dt>{breakable(key)}</dt>
            <dd class="code">{value}</dd>
          </div>
        ))}
      </dl>
    </section>
  )
}

/** Names of attributes break where they have a dot, so that their ends, which tell them apart, are seen. */
function breakable(key: string): ComponentChildren {
  return key.split(/(?<=\.)/).map((part, i) => (i === 0 ? part : [<wbr key={i} />, part]))
}
