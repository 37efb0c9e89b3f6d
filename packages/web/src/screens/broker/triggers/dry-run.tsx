// What a rule would have done: how much it looked at, what fitted, what would have been captured, and examples.
import type { DryRunResponse } from '@hearth/client'
import type { JSX } from 'preact'
import { formatMoment, millisOf } from '../../../widgets/format-time.ts'
import { counted } from '../../../widgets/counted.ts'
import { heldBackText } from './held-back.ts'
import { ItemLink } from './item-link.tsx'

export interface DryRunProps {
  readonly answer: DryRunResponse
  readonly isStale: boolean
}

const NAMES = { span: 'span', log: 'log record', metric: 'data point' } as const

export function DryRun({ answer, isStale }: DryRunProps): JSX.Element {
  const { examined, matched, fired, heldBack, instances, truncated, examples } = answer
  const kinds = (['span', 'log', 'metric'] as const).filter(kind => examined[kind] !== undefined)
  const looked = kinds.map(kind => counted(examined[kind] ?? 0, NAMES[kind])).join(', ')
  return (
    <div class={isStale ? 'stale' : undefined}>
      <p role="status">
        <strong>{counted(fired, 'capture')}</strong> of {counted(instances, 'instance')}. It looked at{' '}
        {looked === '' ? 'nothing, since the rule can never fit' : looked}; {matched.toLocaleString('en')} fitted.
      </p>
      {truncated && <p class="muted">There was too much to look at; these are only the latest.</p>}
      {heldBack.length > 0 && (
        <ul class="dry-run-held">
          {heldBack.map(({ guard, count }) => (
            <li key={guard}>
              {count.toLocaleString('en')} held back: {heldBackText(guard)}
            </li>
          ))}
        </ul>
      )}
      {examples.length > 0 && (
        <table class="plain-table">
          <thead>
            <tr>
              <th scope="col">When</th>
              <th scope="col">What fitted</th>
              <th scope="col">Service</th>
              <th scope="col">Then</th>
            </tr>
          </thead>
          <tbody>
            {examples.map((example, i) => (
              <tr key={i}>
                <td>{formatMoment(millisOf(example.time))}</td>
                <td class="broker-long">
                  <ItemLink item={example} service={example.service} />
                </td>
                <td title={example.instance}>{example.service}</td>
                <td>
                  {example.heldBack === undefined ? (
                    'a capture'
                  ) : (
                    <span class="muted">{heldBackText(example.heldBack)}</span>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </div>
  )
}
