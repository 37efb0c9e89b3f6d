// A list of keys and values, below a heading if it has a title, for the details of profiles, spans, log records and others.
import type { ComponentChildren, JSX } from 'preact'
import './detail-list.css'

export interface DetailRow {
  readonly key: string
  readonly value: ComponentChildren
}

export interface DetailListProps {
  /** The heading. An empty title renders none, because screen readers announce empty headings. */
  readonly title: string
  readonly properties: readonly DetailRow[]
}

export function DetailList({ title, properties }: DetailListProps): JSX.Element {
  return (
    <section class="detail-list">
      {title !== '' && <h2>{title}</h2>}
      {properties.length === 0 && <p class="muted">None</p>}
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

/** Allows line breaks after each dot of an attribute key, so that its distinctive end stays visible. */
function breakable(key: string): ComponentChildren {
  return key.split(/(?<=\.)/).map((part, i) => (i === 0 ? part : [<wbr key={i} />, part]))
}
