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
          {search.name === '' ? 'No request' : `No request of ${search.name}`} waited for another one
          {search.name === '' ? '' : ' or made one wait'} in {counted(value.requests, 'request')}. Wall samples with
          thread ids and links to spans show it.
        </p>
      ) : (
        <Found value={value} search={search} />
      )}
    </div>
  )
}

type Pair = InterferenceResponse['pairs'][number]

function Found({ value, search }: { readonly value: InterferenceResponse; readonly search: TraceSearch }): JSX.Element {
  const { operations, pairs } = value
  const nameOf = (row: number): string => operations[row].name || 'work without a span'
  const table = (title: string, of: readonly Pair[]): JSX.Element =>
    of.length === 0 ? <></> : <PairTable title={title} pairs={of} value={value} search={search} nameOf={nameOf} />
  const { name } = search
  return (
    <>
      {name === '' ? (
        table('Operations that delay others', pairs)
      ) : (
        <>
          {table(
            `Delays ${name}`,
            pairs.filter(({ delayed }) => operations[delayed].name === name),
          )}
          {table(
            `Delayed by ${name}`,
            pairs.filter(({ delayed }) => operations[delayed].name !== name),
          )}
        </>
      )}
      <h2>Seconds of waiting per hour: rows wait for columns</h2>
      <Matrix value={value} nameOf={nameOf} />
    </>
  )
}

interface PairTableProps {
  readonly title: string
  readonly pairs: readonly Pair[]
  readonly value: InterferenceResponse
  readonly search: TraceSearch
  readonly nameOf: (row: number) => string
}

function PairTable({ title, pairs, value: { operations }, search, nameOf }: PairTableProps): JSX.Element {
  const hidden = pairs.length - MAX_PAIRS
  const operation = (row: number): JSX.Element =>
    operations[row].name === '' ? (
      <>{nameOf(row)}</>
    ) : (
      <RouteLink to={{ ...OPERATION, search: { ...search, name: operations[row].name } }}>{nameOf(row)}</RouteLink>
    )
  return (
    <>
      <h2>{title}</h2>
      <table class="plain-table" aria-label={title}>
        <thead>
          <tr>
            <th scope="col" class="number" title="Seconds of waiting in each hour of the range">
              Cost per hour
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
          {pairs.slice(0, MAX_PAIRS).map(pair => (
            <tr key={`${pair.delayed} ${pair.by} ${pair.reason}`}>
              <td class="number">{costText(pair.secondsPerHour)}</td>
              <td>
                {operation(pair.delayed)} <span class="muted">{operations[pair.delayed].service}</span>
              </td>
              <td>{operation(pair.by)}</td>
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
      {hidden > 0 && <p class="muted">{counted(hidden, 'more pair')}</p>}
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
              // At most 60 %, so that the text stays readable.
              const share = Math.round((60 * cost) / most)
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

/** `3,210 s`, `12.3 s`, `0.04 s`, `<0.01 s`. */
export function costText(seconds: number): string {
  if (seconds > 0 && seconds < 0.005) return '<0.01 s'
  const digits = seconds >= 100 ? 0 : seconds >= 1 ? 1 : 2
  return `${seconds.toLocaleString('en', { maximumFractionDigits: digits })} s`
}
