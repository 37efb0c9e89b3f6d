// The result of a dry run: how many items were examined, how many matched, and which captures would have started.
import type { DryRunResponse } from '@hearth/client'
import type { JSX } from 'preact'
import { formatMoment, millisOf } from '../../../widgets/format-time.ts'
import { counted } from '../../../widgets/counted.ts'
import { skipReason } from './skip-reason.ts'
import { ItemLink } from './item-link.tsx'

export interface DryRunProps {
  readonly result: DryRunResponse
  readonly isStale: boolean
}

const NAMES = { span: 'span', log: 'log record', metric: 'data point' } as const

export function DryRun({ result, isStale }: DryRunProps): JSX.Element {
  const { examined, matched, fired, heldBack, instances, truncated, examples } = result
  const kinds = (['span', 'log', 'metric'] as const).filter(kind => examined[kind] !== undefined)
  const items = kinds.map(kind => counted(examined[kind] ?? 0, NAMES[kind])).join(', ')
  return (
    <div class={isStale ? 'stale' : undefined}>
      <p role="status">
        <strong>{counted(fired, 'capture')}</strong> of {counted(instances, 'instance')}.{' '}
        {items === '' ? 'The rule can never match.' : `Examined ${items}; ${matched.toLocaleString('en')} matched.`}
      </p>
      {truncated && <p class="muted">Only the latest items were examined.</p>}
      {heldBack.length > 0 && (
        <ul class="dry-run-held">
          {heldBack.map(({ guard, count }) => (
            <li key={guard}>
              {count.toLocaleString('en')} skipped: {skipReason(guard)}
            </li>
          ))}
        </ul>
      )}
      {examples.length > 0 && (
        <table class="plain-table">
          <thead>
            <tr>
              <th scope="col">Time</th>
              <th scope="col">Match</th>
              <th scope="col">Service</th>
              <th scope="col">Result</th>
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
                    'Capture'
                  ) : (
                    <span class="muted">{skipReason(example.heldBack)}</span>
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
