// A trace as text, one line per span:
//
//   SPAN                    DURATION    SELF  SAMPLES    CPU  OVER TIME
//   shop: GET /cart           120 ms   40 ms       12  80 ms  ████████████████
//     shop: query  (error)     30 ms   30 ms        3  30 ms     ████
//     db: SELECT               50 ms   50 ms                          ███████
import type { TraceResponse, TraceSpan } from '@hearth/client'
import { formatDuration, formatTime, formatValue } from '@hearth/profile'
import { countOf } from '../terminal/count-text.ts'
import { printable } from '../terminal/printable.ts'
import { table } from '../terminal/table.ts'

/** The width of the timeline. */
const TIME_CELLS = 40
/** Deeper spans are not indented further. */
const MAX_INDENT = 24

export function waterfallLines(trace: TraceResponse, width: number | undefined): string[] {
  const { spans, types, start, duration, allSpans, notes, unplaced } = trace
  const services = new Set(spans.map(({ service }) => service)).size
  const when = allSpans === 0 ? '' : `, ${formatDuration(BigInt(duration))} from ${formatTime(BigInt(start))}`
  const heading = `trace ${trace.traceId}: ${countOf(allSpans, 'span')} in ${countOf(services, 'service')}${when}`
  const columns = [
    { title: 'SPAN', flexible: true },
    { title: 'DURATION', align: 'right' },
    { title: 'SELF', align: 'right' },
    { title: 'SAMPLES', align: 'right' },
    ...types.map(({ type }) => ({ title: printable(type).toUpperCase(), align: 'right' }) as const),
    { title: 'PERHAPS', align: 'right' },
    { title: 'OVER TIME' },
  ] as const
  const extent = { start: BigInt(start), duration: BigInt(duration) }
  const rows = spans.map(span => [
    nameOf(span),
    span.end === undefined ? 'open' : formatDuration(BigInt(span.duration)),
    span.end === undefined ? '' : formatDuration(BigInt(span.self)),
    countIn(span.samples),
    ...types.map(({ unit }, type) => {
      const own = span.samples.find(each => each.type === type)
      return own === undefined || own.subtreeSamples === 0 ? '' : formatValue(BigInt(own.subtreeValue), unit)
    }),
    countIn(span.unlinked ?? []),
    bar(span, extent),
  ])
  const legend = types.length === 0 ? [] : ['SAMPLES counts the span itself. Values include its descendants.']
  const perhaps = rows.some(row => row.at(-2) !== '')
    ? ['PERHAPS: samples without a link that match the thread and time.']
    : []
  const others = unplaced.map(
    ({ type, samples }) =>
      `${countOf(samples, 'sample')} of ${printable(types[type].type)} in spans that are not stored`,
  )
  const noteLines = notes.map(({ count, message }) => `${countOf(count, 'span')}: ${printable(message)}`)
  const below = [...legend, ...perhaps, ...others, ...noteLines]
  return [heading, '', ...table(columns, rows, width), ...(below.length === 0 ? [] : ['', ...below])]
}

/** Moves each span, with its descendants, by the difference of its clock from that of its parent. */
export function withOneClock(trace: TraceResponse): TraceResponse {
  const moved: bigint[] = []
  let [first, last] = [BigInt(trace.start), BigInt(trace.start)]
  const spans = trace.spans.map((span, i) => {
    moved[i] = BigInt(span.skew ?? 0) + (span.parent === -1 ? 0n : moved[span.parent])
    const start = BigInt(span.start) + moved[i]
    const end = start + BigInt(span.duration)
    if (i === 0 || start < first) first = start
    if (i === 0 || end > last) last = end
    return { ...span, start: String(start), ...(span.end === undefined ? {} : { end: String(end) }) }
  })
  const notes = trace.notes.map(note => ({
    ...note,
    message: note.message.replace('shown as sent', 'moved into its parent'),
  }))
  return { ...trace, spans, start: String(first), duration: String(last - first), notes }
}

function nameOf({ depth, service, name, status, statusMessage, hiddenChildren }: TraceSpan): string {
  const indent = ' '.repeat(Math.min(2 * depth, MAX_INDENT))
  const failed = status === 'error' ? `  (error${statusMessage === undefined ? '' : `: ${statusMessage}`})` : ''
  const hidden = hiddenChildren === 0 ? '' : `  (+${hiddenChildren} not shown)`
  return `${indent}${printable(`${service === '' ? '' : `${service}: `}${name}${failed}`)}${hidden}`
}

function countIn(samples: TraceSpan['samples']): string {
  const count = samples.reduce((sum, each) => sum + each.samples, 0)
  return count === 0 ? '' : String(count)
}

/** A span has at least one cell. If it has no end, an arrow marks its start. */
function bar(span: TraceSpan, extent: { readonly start: bigint; readonly duration: bigint }): string {
  const scale = (time: bigint): number => {
    if (extent.duration === 0n) return 0
    return Math.floor((Number(time - extent.start) / Number(extent.duration)) * TIME_CELLS)
  }
  const from = Math.min(TIME_CELLS - 1, Math.max(0, scale(BigInt(span.start))))
  if (span.end === undefined) return `${' '.repeat(from)}▸`
  const to = Math.min(TIME_CELLS, Math.max(from + 1, scale(BigInt(span.end))))
  return ' '.repeat(from) + '█'.repeat(to - from)
}
