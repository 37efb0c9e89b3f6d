// Operations that delay others: a ranked list and a matrix, in seconds per hour.
import type { InterferenceResponse } from '@hearth/client'
import type { JSX } from 'preact'
import { OPERATION } from '../../../address/operation-route.ts'
import { TRACE } from '../../../address/route.ts'
import type { TraceSearch } from '../../../address/signal-searches.ts'
import { absolute } from '../../../address/time-range.ts'
import { client } from '../../../state/session.ts'
import { useLoaded } from '../../../state/use-loaded.ts'
import { Progress } from '../../../widgets/controls/progress.tsx'
import { counted } from '../../../widgets/counted.ts'
import { Failure } from '../../../widgets/failure.tsx'
import { RouteLink } from '../../../widgets/route-link.tsx'
import { spanRequest } from '../trace-request.ts'

/** The number of pairs in the list, and of operations in the matrix. */
const MAX_PAIRS = 12
const MAX_COLUMNS = 12

interface InterferenceTabProps {
  readonly search: TraceSearch
  readonly now: number
}

export function InterferenceTab({ search, now }: InterferenceTabProps): JSX.Element {
  const request = spanRequest(absolute(search, now))
  const loaded = useLoaded(`interference:${JSON.stringify(request)}:${now}`, signal =>
    client.peek().query('interference', request, { signal }),
  )
  const { value } = loaded
  return (
    <div class="operation-body scrolls" tabIndex={0} role="region" aria-label="Interference">
      <Progress of={loaded} what="Computing ledgers" />
      {loaded.error !== undefined && !loaded.loading ? (
        <Failure error={loaded.error} onRetry={loaded.retry} />
      ) : value === undefined ? (
        <></>
      ) : value.pairs.length === 0 ? (
        <p class="muted">
          No request waited for another one in {counted(value.requests, 'request')}. Wall samples with thread ids and
          links to spans show it.
        </p>
      ) : (
        <Found value={value} search={search} />
      )}
    </div>
  )
}

function Found({ value, search }: { readonly value: InterferenceResponse; readonly search: TraceSearch }): JSX.Element {
  const nameOf = (row: number): string => value.operations[row].name || 'work without a span'
  return (
    <>
      <h2>Cost, in seconds of waiting per hour</h2>
      <table class="plain-table">
        <thead>
          <tr>
            <th scope="col" class="number">
              Seconds per hour
            </th>
            <th scope="col">Delayed</th>
            <th scope="col">By</th>
            <th scope="col">Reason</th>
            <th scope="col" class="number">
              Requests
            </th>
            <th scope="col">Example</th>
          </tr>
        </thead>
        <tbody>
          {value.pairs.slice(0, MAX_PAIRS).map(pair => (
            <tr key={`${pair.delayed} ${pair.by} ${pair.reason}`}>
              <td class="number">{costText(pair.secondsPerHour)}</td>
              <td>
                <RouteLink to={{ ...OPERATION, search: { ...search, name: nameOf(pair.delayed) } }}>
                  {nameOf(pair.delayed)}
                </RouteLink>{' '}
                <span class="muted">{value.operations[pair.delayed].service}</span>
              </td>
              <td>{nameOf(pair.by)}</td>
              <td>{pair.reason === 'lock' ? 'lock' : 'same thread or event loop'}</td>
              <td class="number">{pair.requests.toLocaleString('en')}</td>
              <td>
                {pair.example !== undefined && (
                  <RouteLink to={{ ...TRACE, traceId: pair.example.traceId, spanId: pair.example.spanId }}>
                    Slowest
                  </RouteLink>
                )}
                {pair.exampleBy !== undefined && ' · '}
                {pair.exampleBy !== undefined && (
                  <RouteLink to={{ ...TRACE, traceId: pair.exampleBy.traceId, spanId: pair.exampleBy.spanId }}>
                    Cause
                  </RouteLink>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <h2>Matrix: rows wait for columns</h2>
      <Matrix value={value} nameOf={nameOf} />
    </>
  )
}

interface MatrixProps {
  readonly value: InterferenceResponse
  readonly nameOf: (row: number) => string
}

function Matrix({ value: { pairs }, nameOf }: MatrixProps): JSX.Element {
  const costs = new Map<string, number>()
  for (const { delayed, by, secondsPerHour } of pairs)
    costs.set(`${delayed} ${by}`, (costs.get(`${delayed} ${by}`) ?? 0) + secondsPerHour)
  const first = (rows: readonly number[]): number[] => [...new Set(rows)].slice(0, MAX_COLUMNS)
  const [rows, columns] = [first(pairs.map(({ delayed }) => delayed)), first(pairs.map(({ by }) => by))]
  const most = Math.max(...costs.values())
  return (
    <table class="interference-matrix">
      <thead>
        <tr>
          <th scope="col">
            <span class="visually-hidden">Delayed operation</span>
          </th>
          {columns.map(column => (
            <th key={column} scope="col">
              {nameOf(column)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(row => (
          <tr key={row}>
            <th scope="row">{nameOf(row)}</th>
            {columns.map(column => {
              const cost = costs.get(`${row} ${column}`) ?? 0
              const share = Math.round((100 * cost) / most)
              return (
                <td
                  key={column}
                  style={{ background: `color-mix(in oklab, var(--ledger-others) ${share}%, transparent)` }}
                >
                  {cost === 0 ? '' : costText(cost)}
                </td>
              )
            })}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** `3,210 s`, `12.3 s`, `0.04 s`. */
export function costText(seconds: number): string {
  const digits = seconds >= 100 ? 0 : seconds >= 1 ? 1 : 2
  return `${seconds.toLocaleString('en', { maximumFractionDigits: digits })} s`
}
