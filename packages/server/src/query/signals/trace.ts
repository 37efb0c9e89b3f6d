// A whole trace: its spans in the order of the tree, with the profile data of each span and of its subtree.
import type { Note } from '@hearth/profile'
import type { Span } from '@hearth/signals'
import type { Block } from '../../store/native/block.ts'
import type { ColumnValues } from '../../store/native/column-values.ts'
import { readSpan } from '../../store/signals/read-items.ts'
import { QueryError } from '../query-error.ts'
import type { Query } from '../query.ts'
import { RunningQuery, checkCount, tenantWhere } from '../query.ts'
import { idOf } from '../select/span-tree.ts'
import { Values } from '../statement.ts'
import type { QueryContext } from '../query-context.ts'
import type { ResponseResource, ResponseScope } from './containers-of.ts'
import { Containers } from './containers-of.ts'
import type { SpanKind, SpanStatus } from './span-filter.ts'
import { SPAN_KINDS, SPAN_STATUSES } from './span-filter.ts'
import type { ProfiledType, SpanProfiles } from './span-profiles.ts'
import { SpanSums, linkedSamples, unlinkedSamples } from './span-profiles.ts'
import type { TraceTree, TreeSpan } from './trace-tree.ts'
import { Oddity, longestRows, traceTree } from './trace-tree.ts'

export interface TraceChoice {
  /** 16 hex digits. Selects this span with its subtree. */
  readonly spanId?: string
  /** The maximum number of spans. The longest stay, with all their ancestors; 10,000 unless given. */
  readonly limit?: number
  /** Whether to return attributes, events and links. By default only for up to 1000 spans. */
  readonly details?: boolean
  /** Whether to assign samples without a link to spans by thread and time. */
  readonly unlinked?: boolean
}

export interface TraceSpan {
  readonly spanId: string
  /** Empty for a root. */
  readonly parentSpanId: string
  /** Its row among the spans; -1 if it is not among them. */
  readonly parent: number
  readonly depth: number
  readonly service: string
  readonly name: string
  readonly kind: SpanKind
  readonly status: SpanStatus
  readonly statusMessage: string
  readonly start: bigint
  readonly end: bigint | undefined
  readonly duration: bigint
  readonly self: bigint
  readonly oddities: readonly OddityName[]
  readonly skew: bigint
  /** Rows in `resources` and `scopes`. */
  readonly resource: number
  readonly scope: number
  readonly hiddenChildren: number
  readonly samples: readonly SpanProfiles[]
  readonly unlinked: readonly SpanProfiles[]
  readonly details: Span | undefined
}

export interface Trace {
  readonly traceId: string
  /** The start and end of all spans, shown or not. */
  readonly start: bigint
  readonly duration: bigint
  /** In depth-first order, siblings by start. */
  readonly spans: readonly TraceSpan[]
  readonly allSpans: number
  readonly types: readonly ProfiledType[]
  readonly resources: readonly ResponseResource[]
  readonly scopes: readonly ResponseScope[]
  /** Samples of the trace whose span is not stored, by type. */
  readonly unplaced: readonly SpanProfiles[]
  /** The irregularities of spans with their counts. */
  readonly notes: readonly Note[]
}

type OddityName = (typeof ODDITIES)[number]['name']

const ODDITIES = [
  { name: 'no-end', bit: Oddity.noEnd, says: 'no end, or one before the start; shown as of no length' },
  { name: 'missing-parent', bit: Oddity.missingParent, says: 'the parent is not stored; shown as a root' },
  { name: 'before-parent', bit: Oddity.beforeParent, says: 'starts before its parent: clocks differ; shown as sent' },
  {
    name: 'after-parent',
    bit: Oddity.afterParent,
    says: 'ends after its parent: it went on without it, or clocks differ; shown as sent',
  },
  { name: 'circle', bit: Oddity.circle, says: 'its own ancestor; shown as a root' },
  { name: 'same-id', bit: Oddity.sameId, says: 'has the id of another; children are shown below the first' },
] as const

/** In the order of their bits. */
export const ODDITY_NAMES = ODDITIES.map(({ name }) => name)

const ODDITY_LISTS = new Map<number, readonly OddityName[]>([[0, []]])

/** Returns the same list for the same bits. */
function odditiesOf(bits: number): readonly OddityName[] {
  let list = ODDITY_LISTS.get(bits)
  if (list === undefined) {
    list = ODDITIES.filter(({ bit }) => (bits & bit) !== 0).map(({ name }) => name)
    ODDITY_LISTS.set(bits, list)
  }
  return list
}

/** 200,000 spans need 100 MB. */
const MAX_SPANS = 200_000
const MAX_SHOWN = 100_000
const MAX_DETAILED = 10_000
const USUALLY_DETAILED = 1_000
/** The maximum of DateTime64(9). */
const LAST_TIME = 2n ** 63n - 1n

const COLUMNS =
  "lower(hex(span_id)) AS span, if(parent_span_id = toFixedString('', 8), '', lower(hex(parent_span_id))) AS parent, " +
  'start_unix_nano, end_unix_nano, resource, scope, toString(service) AS of_service, toString(name) AS of_name, kind, ' +
  'status_code, status_message'
/** Attributes are most of a span's bytes, so they are read only if the thread is needed. */
const THREAD = ", attribute_values[indexOf(attribute_keys, 'thread.id')] AS thread"

/** The columns that the response needs. */
const RESPONSE_COLUMNS = [
  'of_service',
  'of_name',
  'status_message',
  'kind',
  'status_code',
  'resource',
  'scope',
] as const

export async function readTrace(
  context: QueryContext,
  query: Pick<Query, 'tenant' | 'signal' | 'limits' | 'receivedBefore'>,
  traceId: string,
  choice: TraceChoice = {},
): Promise<Trace> {
  const { limit = 10_000, unlinked = false } = choice
  checkCount('limit', limit, MAX_SHOWN)
  const id = idOf(traceId, 16, 'trace')
  const running = new RunningQuery(context.engine, { ...query, from: 0n, to: 0n })
  const values = new Values()
  const [block, linked] = await Promise.all([
    running.select(
      `SELECT ${COLUMNS}${unlinked ? THREAD : ''} FROM spans WHERE ${tenantWhere(running, values)} AND ` +
        `trace_id = ${values.add('FixedString(16)', id)} ORDER BY start_unix_nano, end_unix_nano, span ` +
        // The same span in another request is a duplicate.
        `LIMIT 1 BY span, parent, start_unix_nano, end_unix_nano, of_name, resource, kind LIMIT ${MAX_SPANS + 1}`,
      values.all,
    ),
    linkedSamples(running, id),
  ])
  if (block.rows === 0 && linked.rows.length === 0) throw new QueryError('not-found', `no trace ${traceId}`)
  const isCut = block.rows > MAX_SPANS
  const spans = treeSpans(block, Math.min(block.rows, MAX_SPANS))
  const tree = traceTree(spans)
  const rows = new Map(spans.map(({ spanId }, row) => [spanId, row]).reverse() as [string, number][])
  const sums = new SpanSums()
  const unplaced = new SpanSums()
  for (const each of linked.rows) {
    const row = rows.get(each.spanId)
    if (row === undefined) unplaced.add(0, each)
    else sums.add(row, each)
  }
  const loose = new SpanSums()
  let types = linked.types
  if (unlinked && block.rows > 0) {
    const found = await unlinkedSamples(running, looseSpans(block, spans, tree), types)
    types = found.types
    for (const each of found.rows) loose.add(each.row, each)
  }
  const chosen = chosenRows(tree, spans, limit, choice.spanId)
  const shown = chosen.rows
  const details = await detailsOf(
    running,
    id,
    shown.map(row => spans[row]),
    choice.details,
  )
  const containers = new Containers(running)
  const [linkedSums, looseSums] = [sums.below(tree), loose.below(tree)]
  const shownAt = new Map(shown.map((row, at) => [row, at]))
  // Looked up once: a trace can have 100,000 spans.
  const [services, names, messages, kinds, statuses, resources, scopes] = RESPONSE_COLUMNS.map(name =>
    block.rows === 0 ? undefined : block.column(name),
  ) as ColumnValues[]
  const response = shown.map((row): TraceSpan => {
    const isOpen = (tree.oddities[row] & Oddity.noEnd) !== 0
    const { spanId, parentSpanId, start, end } = spans[row]
    return {
      spanId,
      parentSpanId,
      parent: shownAt.get(tree.parent[row]) ?? -1,
      depth: tree.depth[row] - chosen.depth,
      service: services.text(row),
      name: names.text(row),
      kind: SPAN_KINDS[kinds.number(row)] ?? 'unspecified',
      status: SPAN_STATUSES[statuses.number(row)] ?? 'unset',
      statusMessage: messages.text(row),
      start,
      end: isOpen ? undefined : end,
      duration: tree.duration[row],
      self: tree.self[row],
      oddities: odditiesOf(tree.oddities[row]),
      skew: tree.skew[row],
      resource: containers.resource(resources, row),
      scope: containers.scope(scopes, row),
      hiddenChildren: chosen.hidden[row],
      samples: linkedSums.of(row),
      unlinked: looseSums.of(row),
      details: details?.get(detailKey(spans[row])),
    }
  })
  const [start, end] = extent(spans, tree)
  return {
    traceId: traceId.toLowerCase(),
    start,
    duration: end - start,
    spans: response,
    allSpans: spans.length,
    types,
    ...(await containers.load()),
    unplaced: unplaced.of(0),
    notes: notesOf(tree, isCut, chosen.left),
  }
}

function treeSpans(block: Block, length: number): TreeSpan[] {
  if (length === 0) return []
  const [span, parent] = [block.column('span'), block.column('parent')]
  const [start, end, resource] = ['start_unix_nano', 'end_unix_nano', 'resource'].map(name => block.column(name))
  return Array.from({ length }, (_, row) => ({
    spanId: span.text(row),
    parentSpanId: parent.text(row),
    start: start.bigint(row),
    end: end.bigint(row),
    resource: resource.bigint(row),
  }))
}

/** Spans with a known thread. */
function looseSpans(block: Block, spans: readonly TreeSpan[], { duration }: TraceTree) {
  const threads = block.column('thread')
  return spans.flatMap(({ start, resource }, row) => {
    const thread = threads.text(row)
    const end = start + duration[row]
    // No profile has a later time.
    return thread === '' || duration[row] === 0n || end > LAST_TIME ? [] : [{ row, thread, resource, start, end }]
  })
}

interface Chosen {
  readonly rows: readonly number[]
  /** The number of hidden children of each row. */
  readonly hidden: Uint32Array
  /** The number of spans that the limit hides. */
  readonly left: number
  /** The depth of the top span. */
  readonly depth: number
}

function chosenRows(tree: TraceTree, spans: readonly TreeSpan[], limit: number, spanId: string | undefined): Chosen {
  const within = new Uint8Array(spans.length).fill(1)
  let depth = 0
  if (spanId !== undefined) {
    idOf(spanId, 8, 'span')
    const wanted = spanId.toLowerCase()
    const top = spans.findIndex(each => each.spanId === wanted)
    if (top === -1) throw new QueryError('not-found', `no span ${wanted} in the trace`)
    depth = tree.depth[top]
    within.fill(0)
    for (const row of tree.order)
      if (row === top || (tree.parent[row] !== -1 && within[tree.parent[row]] === 1)) within[row] = 1
  }
  // Spans outside of the requested subtree get no duration, so that the limit hides them first.
  const parent = tree.parent.map((above, row) =>
    within[row] === 1 && above !== -1 && within[above] === 1 ? above : -1,
  )
  const duration = tree.duration.map((each, row) => (within[row] === 1 ? each : -1n))
  const count = within.reduce((sum, each) => sum + each, 0)
  const stays = count <= limit ? within : longestRows({ ...tree, parent, duration }, limit)
  const rows = Array.from(tree.order).filter(row => within[row] === 1 && stays[row] === 1)
  const hidden = new Uint32Array(spans.length)
  for (const row of tree.order) if (stays[row] === 0 && parent[row] !== -1) hidden[parent[row]]++
  return { rows, hidden, left: count - rows.length, depth }
}

async function detailsOf(
  running: RunningQuery,
  id: Uint8Array,
  spans: readonly TreeSpan[],
  wanted = spans.length <= USUALLY_DETAILED,
): Promise<ReadonlyMap<string, Span> | undefined> {
  if (!wanted || spans.length === 0) return undefined
  if (spans.length > MAX_DETAILED) {
    throw new QueryError(
      'argument',
      `details of more than ${MAX_DETAILED} spans; lower the limit, or select one by spanId`,
    )
  }
  const values = new Values()
  const ids = spans.map(({ spanId }) => idOf(spanId, 8, 'span'))
  const block = await running.selectLimited(
    `SELECT ${DETAIL_COLUMNS} FROM spans WHERE ${tenantWhere(running, values)} AND trace_id = ` +
      `${values.add('FixedString(16)', id)} AND span_id IN ${values.add('Array(FixedString(8))', ids)}`,
    values.all,
    'spans in the trace',
  )
  const found = new Map<string, Span>()
  for (let row = 0; row < block.rows; row++) {
    const span = readSpan(block, row)
    const spanId = Buffer.from(span.spanId).toString('hex')
    found.set(detailKey({ spanId, start: span.startTimeUnixNano, end: span.endTimeUnixNano }), span)
  }
  return found
}

const DETAIL_COLUMNS =
  'trace_id, span_id, parent_span_id, trace_state, name, kind, start_unix_nano, end_unix_nano, ' +
  'attribute_keys, attribute_kinds, attribute_values, dropped_attributes, ' +
  'event_times, event_names, event_attribute_keys, event_attribute_kinds, event_attribute_values, ' +
  'event_dropped_attributes, dropped_events, link_trace_ids, link_span_ids, link_trace_states, link_flags, ' +
  'link_attribute_keys, link_attribute_kinds, link_attribute_values, link_dropped_attributes, ' +
  'dropped_links, status_code, status_message, flags'

function detailKey({ spanId, start, end }: Pick<TreeSpan, 'spanId' | 'start' | 'end'>): string {
  return `${spanId} ${start} ${end}`
}

function extent(spans: readonly TreeSpan[], { duration }: TraceTree): [bigint, bigint] {
  if (spans.length === 0) return [0n, 0n]
  let [from, to] = [spans[0].start, spans[0].start]
  for (const [row, { start }] of spans.entries()) {
    if (start < from) from = start
    if (start + duration[row] > to) to = start + duration[row]
  }
  return [from, to]
}

function notesOf({ oddities }: TraceTree, isCut: boolean, hidden: number): Note[] {
  const notes: Note[] = []
  for (const { name, bit, says } of ODDITIES) {
    const count = oddities.reduce((sum, bits) => sum + ((bits & bit) === 0 ? 0 : 1), 0)
    if (count > 0) notes.push({ code: name, count, message: says })
  }
  if (isCut) notes.push({ code: 'cut', count: MAX_SPANS, message: 'only the first spans were read' })
  if (hidden > 0) notes.push({ code: 'hidden', count: hidden, message: 'hidden, shortest first' })
  return notes
}
