// The time ledger of the selected span or of the root: the sentence, the bar and the entries of its critical path. A click on an entry
// shows its slice.
import type { TraceColumns, TraceLedgerResponse } from '@hearth/client'
import type { EntryKind } from '@hearth/profile'
import { ENTRY_KINDS, ENTRY_TITLES, formatDuration, formatShare, framesOfRows, sliceTree } from '@hearth/profile'
import type { JSX } from 'preact'
import { useMemo } from 'preact/hooks'
import { EMPTY_QUERY } from '../../../address/query.ts'
import { EXPLORE, LOGS, TRACE, functionRoute } from '../../../address/route.ts'
import { EMPTY_LOG_SEARCH } from '../../../address/signal-searches.ts'
import type { OfLoad } from '../../../address/time-range.ts'
import { ofLoad, timeText } from '../../../address/time-range.ts'
import { DEFAULT_VIEW } from '../../../address/view.ts'
import { client } from '../../../state/session.ts'
import type { Loaded } from '../../../state/use-loaded.ts'
import { useLoaded } from '../../../state/use-loaded.ts'
import { Icon } from '../../../widgets/controls/icon.tsx'
import { Failure } from '../../../widgets/failure.tsx'
import { FlameGraph } from '../../../widgets/flame-graph/flame-graph.tsx'
import { LedgerBar, LedgerMark } from '../../../widgets/ledger/ledger-bar.tsx'
import { millisOf } from '../../../widgets/format-time.ts'
import { RouteLink } from '../../../widgets/route-link.tsx'
import { ProcessLink, profilesAround } from '../../links/process-link.tsx'

export type TraceLedgers = TraceLedgerResponse

/** Loads the ledger of a span, of the root if it is empty. */
export function useTraceLedger(trace: TraceColumns & OfLoad, spanId: string, isLater: boolean): Loaded<TraceLedgers> {
  const key = isLater && trace.spans.length > 0 ? `ledger:${trace.traceId}:${spanId}` : undefined
  const request = spanId === '' ? {} : { spanId }
  return useLoaded(key, signal =>
    client.peek().traceLedger(trace.traceId, { ...request, ...ofLoad(trace) }, { signal }),
  )
}

/** The ledger of a row of the waterfall. */
export interface RowLedger {
  /** In the order of ENTRY_KINDS. */
  readonly nanos: readonly number[]
  /** The nanoseconds on the critical path of the selected span, without those of spans below. */
  readonly critical: number
}

/** By the id of the span. */
export function ledgersBySpan(ledger: TraceLedgers | undefined): ReadonlyMap<string, RowLedger> | undefined {
  if (ledger === undefined) return undefined
  return new Map(
    ledger.spans.map(({ spanId, nanos, criticalNano }) => [
      spanId,
      { nanos: nanos.map(Number), critical: Number(criticalNano) },
    ]),
  )
}

interface LedgerStripProps {
  readonly loaded: Loaded<TraceLedgers>
  readonly selected: EntryKind | undefined
  readonly onSelect: (kind: EntryKind | undefined) => void
}

export function LedgerStrip({ loaded, selected, onSelect }: LedgerStripProps): JSX.Element {
  const { value: ledger, error, loading } = loaded
  if (ledger === undefined) {
    return error === undefined || loading ? <></> : <Failure error={error} onRetry={loaded.retry} />
  }
  const duration = BigInt(ledger.durationNano)
  const byKind = new Map(ledger.critical.map(({ kind, nanos }) => [kind, BigInt(nanos)]))
  const toggle = (kind: EntryKind): void => onSelect(kind === selected ? undefined : kind)
  return (
    <section class="ledger" aria-label="Time ledger of the span">
      <p class="ledger-sentence">{ledger.sentence}</p>
      <LedgerBar nanos={ENTRY_KINDS.map(kind => byKind.get(kind) ?? 0n)} selected={selected} onSelect={toggle} />
      <div class="ledger-entries">
        {ledger.critical.map(({ kind, nanos, error: half }) => (
          <button
            key={kind}
            type="button"
            class="plain ledger-entry"
            aria-pressed={kind === selected}
            onClick={() => toggle(kind)}
          >
            <LedgerMark kind={kind} />
            <span>{ENTRY_TITLES[kind]}</span>
            <span class="number">{formatDuration(BigInt(nanos))}</span>
            <span class="muted">
              {half === '0' ? '' : `± ${formatDuration(BigInt(half))}, `}
              {formatShare(BigInt(nanos), duration)}
            </span>
          </button>
        ))}
        <span class="muted">
          = {formatDuration(duration)} of {ledger.span.name}, with the spans below it on the critical path
        </span>
      </div>
    </section>
  )
}

interface LedgerSliceProps {
  readonly trace: TraceColumns
  readonly ledger: TraceLedgers
  readonly kind: EntryKind
  readonly onClose: () => void
}

/** The flame graph of exactly the time of an entry, and its details with links to other requests. */
export function LedgerSlice({ trace, ledger, kind, onClose }: LedgerSliceProps): JSX.Element {
  const entry = ledger.critical.find(each => each.kind === kind)
  const tree = useMemo(() => {
    const slice = ledger.slices.find(each => each.kind === kind)
    if (slice === undefined) return undefined
    const stacks = { parent: ledger.parent, frame: ledger.frame, frames: framesOfRows(ledger.frames) }
    return sliceTree(stacks, slice.node, slice.nanos.map(BigInt))
  }, [ledger, kind])
  const time = BigInt(entry?.nanos ?? '0')
  const around = aroundSpan(trace, ledger)
  const functionLink = (name: string, spans: readonly { readonly service: string }[]): JSX.Element => {
    const file = ledger.frames.find(each => each.name === name)?.file ?? ''
    // The code may run in another service on the critical path.
    const service = spans.at(0)?.service ?? ledger.span.service
    return (
      <RouteLink class="code" to={functionRoute({ name, file }, { ...EMPTY_QUERY, service, ...around.profiles })}>
        {name}
      </RouteLink>
    )
  }
  return (
    <section class="ledger-slice" aria-label={`Slice: ${ENTRY_TITLES[kind]}`}>
      <div class="bar">
        <LedgerMark kind={kind} />
        <h2 class="trace-title">
          {ENTRY_TITLES[kind]}: {formatDuration(time)}
        </h2>
        <span class="spring" />
        <SliceLinks trace={trace} ledger={ledger} detail={entry?.details.find(({ mostly }) => mostly !== '')} />
        <button type="button" class="plain icon" aria-label="Close the slice" onClick={onClose}>
          <Icon name="close" />
        </button>
      </div>
      <div class="ledger-slice-body">
        <div class="ledger-slice-graph">
          {tree === undefined ? (
            <p class="reading muted">{NO_STACKS[kind] ?? 'This time has no stacks.'}</p>
          ) : (
            <FlameGraph
              tree={tree}
              label={`Flame graph of ${ENTRY_TITLES[kind]}`}
              orientation="icicle"
              colourBy="package"
              palette="standard"
              whole="this entry"
            />
          )}
        </div>
        <div class="ledger-details scrolls" tabIndex={0} role="region" aria-label="Details of the entry">
          <table>
            <tbody>
              {(entry?.details ?? []).map(({ what, name, nanos, count, mostly, spans }) => (
                <tr key={`${what} ${name}`}>
                  <td class="number">{formatDuration(BigInt(nanos))}</td>
                  <td>
                    {count > 1 ? `${count} × ` : ''}
                    {what === 'function' && mostly === name ? functionLink(name, spans) : name}
                    {mostly !== '' && mostly !== name && (
                      <span class="muted">, mostly in {functionLink(mostly, spans)}</span>
                    )}
                    {spans.length > 0 && (
                      <div class="ledger-requests">
                        {spans.map(({ traceId, spanId, service }, i) => (
                          <RouteLink key={spanId} to={{ ...TRACE, traceId, spanId }} title={service}>
                            {what === 'span' || what === 'function' ? 'Span' : 'Request'} {i + 1}
                          </RouteLink>
                        ))}
                      </div>
                    )}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </div>
    </section>
  )
}

interface SliceLinksProps {
  readonly trace: TraceColumns
  readonly ledger: TraceLedgers
  /** The detail with most of the time whose code is known. */
  readonly detail: TraceLedgers['critical'][number]['details'][number] | undefined
}

/** Links from an entry to the code, the thread and the logs of its span. */
function SliceLinks({ trace, ledger, detail }: SliceLinksProps): JSX.Element {
  const { spans } = trace
  const { row, from, to, profiles } = aroundSpan(trace, ledger)
  const code = detail?.mostly ?? ''
  const file = ledger.frames.find(({ name }) => name === code)?.file ?? ''
  // The code may run in another service on the critical path.
  const service = detail?.spans.at(0)?.service ?? ledger.span.service
  const query = { ...EMPTY_QUERY, service, ...profiles }
  return (
    <>
      {code !== '' && (
        <RouteLink
          class="button"
          to={{ ...EXPLORE, query, view: { ...DEFAULT_VIEW, show: 'lines', frame: code, frameFile: file } }}
        >
          Code of {code}
        </RouteLink>
      )}
      <ProcessLink
        class="button"
        resource={trace.resources[spans.resource[row]]?.attributes ?? []}
        thread=""
        from={from}
        to={to}
        show="threads"
      >
        Threads
      </ProcessLink>
      <RouteLink
        class="button"
        to={{
          ...LOGS,
          search: {
            ...EMPTY_LOG_SEARCH,
            service: ledger.span.service,
            from: timeText(millisOf(from)),
            to: profiles.to,
          },
        }}
      >
        Logs
      </RouteLink>
    </>
  )
}

/** The row and the times of the span, and the range of profiles with its samples. */
function aroundSpan({ spans }: TraceColumns, ledger: TraceLedgers) {
  const row = Array.from({ length: spans.length }, (_, i) => i).find(i => spans.id(i) === ledger.span.spanId) ?? 0
  const from = BigInt.asUintN(64, spans.start[row])
  const to = from + BigInt(ledger.durationNano)
  return { row, from, to, profiles: profilesAround(from, to) }
}

const NO_STACKS: Partial<Readonly<Record<EntryKind, string>>> = {
  unknown:
    'No samples or events are stored for this time. Hearth’s agent records them with the types wall, cpu and events.',
}
