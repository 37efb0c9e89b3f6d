// The ledgers of slow and fast requests: both averages, the difference of each entry, and the attributes that slow requests share.
import type { CommonAttribute, LedgerDifference } from '@hearth/client'
import { ENTRY_TITLES, JUDGEMENTS, formatDuration, judgeDeviations } from '@hearth/profile'
import type { JSX } from 'preact'
import type { SlowRoute } from '../../address/route.ts'
import { absolute } from '../../address/time-range.ts'
import { client } from '../../state/session.ts'
import { useLoaded } from '../../state/use-loaded.ts'
import { Progress } from '../../widgets/controls/progress.tsx'
import { Failure } from '../../widgets/failure.tsx'
import { LedgerMark } from '../../widgets/ledger/ledger-bar.tsx'
import { LedgerTable } from '../../widgets/ledger/ledger-table.tsx'
import { signed } from '../../widgets/signed.ts'
import { durationWithUnit, spanRequest } from './trace-request.ts'

interface LedgerComparisonProps {
  readonly route: SlowRoute
  readonly now: number
}

export function LedgerComparisonPart({ route, now }: LedgerComparisonProps): JSX.Element {
  const { search, quantile, threshold } = route
  const { name, ...rest } = spanRequest(absolute(search, now))
  const split = threshold === '' ? { quantile: Number(quantile) } : { threshold: durationWithUnit(threshold) }
  const request = { ...rest, operation: name ?? '', ...split }
  const loaded = useLoaded(`slow-ledger:${JSON.stringify(request)}:${now}`, signal =>
    client.peek().query('ledger', request, { signal }),
  )
  const comparison = loaded.value?.comparison
  return (
    <section class="slow-ledger scrolls" tabIndex={0} role="region" aria-label="Ledgers of slow and fast requests">
      <Progress of={loaded} what="Computing ledgers" />
      {loaded.error !== undefined && !loaded.loading ? (
        <Failure error={loaded.error} onRetry={loaded.retry} />
      ) : comparison === undefined ? (
        <></>
      ) : (
        <>
          <LedgerTable
            title="Requests"
            rows={[
              { ...comparison.slow, name: 'slow' },
              { ...comparison.fast, name: 'fast' },
            ]}
          />
          <Differences differences={comparison.differences} />
          <Common attributes={comparison.attributes} />
        </>
      )}
    </section>
  )
}

function Differences({ differences }: { readonly differences: readonly LedgerDifference[] }): JSX.Element {
  return (
    <p class="ledger-legend">
      <strong>slow − fast:</strong>
      {differences.map(({ kind, nanos, error, deviations }) => (
        <span key={kind} title={`${deviations.toFixed(1)} standard deviations`}>
          <LedgerMark kind={kind} /> {ENTRY_TITLES[kind]} {signed(BigInt(nanos), formatDuration(BigInt(nanos)))} ±{' '}
          {formatDuration(BigInt(error))} <span class="muted">({JUDGEMENTS[judgeDeviations(deviations)]})</span>
        </span>
      ))}
    </p>
  )
}

function Common({ attributes }: { readonly attributes: readonly CommonAttribute[] }): JSX.Element {
  if (attributes.length === 0) return <p class="muted">Slow and fast requests have the same attributes.</p>
  return (
    <p class="ledger-legend" title="Ranked by the difference of both shares. False discovery rate: at most 5%.">
      <strong>What slow requests have in common:</strong>
      {attributes.map(({ key, comparison, value, slow, fast }) => (
        <span key={key}>
          <code>
            {key} {comparison} {value}
          </code>{' '}
          ({percent(slow)} vs. {percent(fast)})
        </span>
      ))}
    </p>
  )
}

function percent(share: number): string {
  return `${Math.round(100 * share)}%`
}
