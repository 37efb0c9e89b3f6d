// The table of traces. Only visible rows are in the DOM.
import type { TraceRow } from '@hearth/client'
import { formatDuration, formatValue } from '@hearth/profile'
import type { ComponentChildren, JSX } from 'preact'
import { useMemo, useRef } from 'preact/hooks'
import { serviceColour } from '../../draw/traces/waterfall-colours.ts'
import type { TracesRoute } from '../../address/route.ts'
import { TRACE } from '../../address/route.ts'
import { theme } from '../../state/theme.ts'
import { ZONE, formatMoment, millisOf } from '../../widgets/format-time.ts'
import { Icon } from '../../widgets/controls/icon.tsx'
import { typeTitle } from '../../widgets/type-title.ts'
import { RouteLink } from '../../widgets/route-link.tsx'
import { useSeenRows } from '../../widgets/use-seen-rows.ts'
import { rowHeight } from '../../state/touch.ts'

export type Pick = 'slow' | 'fast' | undefined

export interface TraceTableProps {
  readonly traces: readonly TraceRow[]
  readonly sort: TracesRoute['sort']
  readonly onSort: (sort: TracesRoute['sort']) => void
  readonly pickOf: (traceId: string) => Pick
  readonly onPick: (traceId: string, pick: Pick) => void
  /** Below the rows. */
  readonly children: ComponentChildren
}

export function TraceTable({ traces, sort, onSort, pickOf, onPick, children }: TraceTableProps): JSX.Element {
  const scroller = useRef<HTMLDivElement>(null)
  const height = rowHeight(26)
  const { from, to, look } = useSeenRows(scroller, height, traces.length)
  const longest = useMemo(() => traces.reduce((most, { span }) => Math.max(most, Number(span.duration)), 1), [traces])
  const cpu = useMemo(() => traces.some(row => cpuOf(row) !== undefined), [traces])
  const heading = (of: TracesRoute['sort'], title: string): JSX.Element => (
    <th scope="col" class={of === 'duration' ? 'number' : undefined} aria-sort={sort === of ? 'descending' : undefined}>
      <button type="button" class="plain" onClick={() => onSort(of)}>
        {title}
        {sort === of && <Icon name="down" size={12} />}
      </button>
    </th>
  )
  return (
    <div class="scrolls trace-table" ref={scroller} onScroll={look} tabIndex={0} role="region" aria-label="Traces">
      <table class="plain-table" aria-rowcount={traces.length + 1}>
        <thead>
          <tr>
            {heading('time', `Start (${ZONE})`)}
            <th scope="col">Service</th>
            <th scope="col">Operation</th>
            {heading('duration', 'Duration')}
            {['Spans', 'Errors', 'Samples', ...(cpu ? ['CPU'] : [])].map(title => (
              <th key={title} scope="col" class="number">
                {title}
              </th>
            ))}
            <th scope="col">Trace</th>
            <th scope="col">Compare as</th>
          </tr>
        </thead>
        <tbody>
          {from > 0 && <tr aria-hidden="true" style={{ height: `${from * height}px` }} />}
          {traces.slice(from, to).map((row, i) => (
            <Row
              key={row.traceId}
              row={row}
              index={from + i + 2}
              longest={longest}
              withCpu={cpu}
              pick={pickOf(row.traceId)}
              onPick={pick => onPick(row.traceId, pick)}
            />
          ))}
          {to < traces.length && <tr aria-hidden="true" style={{ height: `${(traces.length - to) * height}px` }} />}
        </tbody>
      </table>
      {children}
    </div>
  )
}

interface RowProps {
  readonly row: TraceRow
  readonly index: number
  readonly longest: number
  readonly withCpu: boolean
  readonly pick: Pick
  readonly onPick: (pick: Pick) => void
}

function Row({ row, index, longest, withCpu, pick, onPick }: RowProps): JSX.Element {
  const { span, root } = row
  const share = (100 * Number(span.duration)) / longest
  const cpu = cpuOf(row)
  // If the matching span is not the root, the trace opens with that span selected.
  const to = { ...TRACE, traceId: row.traceId, spanId: span.spanId === root.spanId ? '' : span.spanId }
  return (
    <tr aria-rowindex={index}>
      <td>{formatMoment(millisOf(span.start))}</td>
      <td>
        <span class="trace-service" style={{ background: serviceColour(span.service, theme.value) }} />
        {span.service === '' ? <span class="muted">(no name)</span> : span.service}
      </td>
      <td
        class="trace-operation"
        title={span.spanId === root.spanId ? span.name : `${span.name}, in ${root.service}: ${root.name}`}
      >
        <RouteLink to={to}>{span.name === '' ? '(no name)' : span.name}</RouteLink>
        {row.matching > 1 && <span class="muted"> +{(row.matching - 1).toLocaleString('en')}</span>}
      </td>
      <td class="number trace-duration" style={{ '--share': `${share.toFixed(2)}%` }}>
        {formatDuration(BigInt(span.duration))}
      </td>
      <td class="number">{row.spans.toLocaleString('en')}</td>
      <td class={row.errors === 0 ? 'number muted' : 'number trace-errors'}>{row.errors.toLocaleString('en')}</td>
      <td
        class="number"
        title={row.profiles
          .map(each => `${typeTitle(`${each.type}:${each.unit}`)}: ${formatValue(BigInt(each.value), each.unit)}`)
          .join('\n')}
      >
        {row.samples === 0 ? '' : row.samples.toLocaleString('en')}
      </td>
      {withCpu && <td class="number">{cpu === undefined ? '' : formatValue(BigInt(cpu.value), cpu.unit)}</td>}
      <td class="code muted trace-id" title={row.traceId}>
        {row.traceId}
      </td>
      <td class="trace-pick">
        {row.samples > 0 &&
          (['slow', 'fast'] as const).map(each => (
            <label key={each}>
              <input
                type="checkbox"
                checked={pick === each}
                aria-label={`${each}: ${row.traceId.slice(0, 8)}`}
                onChange={() => onPick(pick === each ? undefined : each)}
              />
              {each}
            </label>
          ))}
      </td>
    </tr>
  )
}

function cpuOf({ profiles }: TraceRow): TraceRow['profiles'][number] | undefined {
  return profiles.find(({ type, unit }) => type === 'cpu' && unit !== 'count')
}
