// Responses as columns: typed arrays over the received bytes, for trees and lists that are too long to parse.
import type { Column, ColumnFile, FrameColumns, FrameTable, ShapeColumns, ValueColumns } from '@hearth/profile'
import { WireError, decodeColumns, framesOfColumns } from '@hearth/profile'
import type {
  COLUMNAR,
  DiffResponse,
  DiffSide,
  EventsResponse,
  FlameGraphResponse,
  HeatMapResponse,
  SandwichResponse,
  SandwichTree,
  TopResponse,
  CompareTracesResponse,
  TraceResponse,
} from './api-types.ts'
import { ColumnReader } from './column-reader.ts'
import { Spans } from './spans.ts'

export type NodeColumns = ShapeColumns & ValueColumns

export interface FlameGraphColumns extends Omit<FlameGraphResponse, 'frames' | 'nodes'> {
  readonly frames: FrameTable
  readonly nodes: NodeColumns
}

export interface TopColumns extends Omit<TopResponse, 'rows'> {
  readonly rows: ValueColumns & { readonly frame: FrameTable }
}

export interface SandwichTreeColumns extends Omit<SandwichTree, 'frames' | 'nodes'> {
  readonly frames: FrameTable
  readonly nodes: NodeColumns
}

export interface SandwichColumns extends Omit<SandwichResponse, 'callers' | 'callees'> {
  readonly callers: SandwichTreeColumns
  readonly callees: SandwichTreeColumns
}

export type DiffSideColumns = Omit<DiffSide, 'self' | 'total'> & ValueColumns

export interface DiffColumns extends Omit<DiffResponse, 'frames' | 'nodes' | 'before' | 'after'> {
  readonly before: DiffSideColumns
  readonly after: DiffSideColumns
  readonly frames: FrameTable
  readonly nodes: ShapeColumns & {
    /** 1: only in the baseline, 2: only in the comparison, 3: in both. */
    readonly presence: Uint8Array
    readonly selfDelta: Float64Array
    readonly totalDelta: Float64Array
    readonly selfDeltaExact: BigInt64Array | undefined
    readonly totalDeltaExact: BigInt64Array | undefined
  }
}

type EventLists =
  | 'thread'
  | 'kind'
  | 'time'
  | 'value'
  | 'node'
  | 'state'
  | 'cpu'
  | 'link'
  | 'parent'
  | 'frame'
  | 'frames'

export interface EventsColumns extends Omit<EventsResponse, EventLists> {
  /** Row in threads. Events are ordered by thread and time. */
  readonly thread: Uint32Array
  /** Row in kinds. */
  readonly kind: Uint32Array
  /** Nanoseconds since 1970. */
  readonly time: BigInt64Array
  readonly value: BigInt64Array
  /** The node at which the event's stack ends. */
  readonly node: Int32Array
  /** Row in states. */
  readonly state: Uint8Array
  /** -1 if it is unknown. */
  readonly cpu: Int32Array
  /** Row in links. */
  readonly link: Uint32Array
  /** The parent of each node; -1 for roots. */
  readonly parent: Int32Array
  /** The row of each node in frames. */
  readonly frame: Uint32Array
  readonly frames: FrameTable
}

export interface HeatMapColumns extends Omit<HeatMapResponse, 'x' | 'y' | 'count' | 'value'> {
  readonly x: Uint32Array
  readonly y: Uint32Array
  readonly count: Float64Array
  readonly value: Float64Array
}

export interface TraceColumns extends Omit<TraceResponse, 'spans'> {
  readonly spans: Spans
}

export interface CompareTracesColumns extends Omit<CompareTracesResponse, 'diff' | 'deviations'> {
  readonly diff: DiffColumns
  readonly deviations: Float64Array
}

export interface ColumnResponses {
  readonly flameGraph: FlameGraphColumns
  readonly top: TopColumns
  readonly sandwich: SandwichColumns
  readonly diff: DiffColumns
  readonly events: EventsColumns
  readonly heatMap: HeatMapColumns
  readonly trace: TraceColumns
  readonly compareTraces: CompareTracesColumns
}

/** The endpoints that can respond with columns. */
export type ColumnarName = (typeof COLUMNAR)[number]

/** Throws WireError if the columns are not valid frames. */
function readFrames({ columns }: ColumnFile, path: string): FrameTable {
  const reader = new ColumnReader(columns, path)
  const strings = reader.strings()
  const texts: (string | undefined)[] = []
  const found: FrameColumns = {
    name: reader.column('name', Uint32Array),
    file: reader.column('file', Uint32Array),
    mapping: reader.column('mapping', Uint32Array),
    type: reader.column('type', Uint32Array),
    buildId: reader.optional('buildId', Uint32Array),
    attribute: reader.optional('attribute', Uint32Array),
    has: reader.optional('has', Uint8Array),
    line: reader.optional('line', BigInt64Array),
    address: reader.optional('address', BigInt64Array),
  }
  return framesOfColumns(found, number => {
    if (number >= strings.length) throw new WireError(0, `${path}: no text ${number}`)
    return (texts[number] ??= strings.text(number))
  })
}

const ARRAYS = { u8: Uint8Array, i32: Int32Array, u32: Uint32Array, f64: Float64Array, i64: BigInt64Array } as const
type Kind = keyof typeof ARRAYS | 'sums'

/** Columns of the same length below a path, and the path of the frames. */
interface Shape {
  readonly frames?: readonly string[]
  /** The path of the spans. */
  readonly spans?: string
  readonly groups: readonly { readonly at: string; readonly columns: Readonly<Record<string, Kind>> }[]
}

const SHAPE = { parent: 'i32', frame: 'u32', hiddenChildren: 'u32' } as const
const SUMS = { self: 'sums', total: 'sums' } as const
const NODES = { ...SHAPE, ...SUMS } as const

function diffGroups(path: string): Shape['groups'] {
  return [
    { at: `${path}nodes`, columns: { ...SHAPE, presence: 'u8', selfDelta: 'sums', totalDelta: 'sums' } },
    { at: `${path}before`, columns: SUMS },
    { at: `${path}after`, columns: SUMS },
  ]
}

const EVENTS = {
  thread: 'u32',
  kind: 'u32',
  time: 'i64',
  value: 'i64',
  node: 'i32',
  state: 'u8',
  cpu: 'i32',
  link: 'u32',
} as const

const SHAPES: Readonly<Record<ColumnarName, Shape>> = {
  flameGraph: { frames: ['frames'], groups: [{ at: 'nodes', columns: NODES }] },
  top: { frames: ['rows.frame'], groups: [{ at: 'rows', columns: SUMS }] },
  sandwich: {
    frames: ['callers.frames', 'callees.frames'],
    groups: [
      { at: 'callers.nodes', columns: NODES },
      { at: 'callees.nodes', columns: NODES },
    ],
  },
  diff: { frames: ['frames'], groups: diffGroups('') },
  compareTraces: {
    frames: ['diff.frames'],
    groups: [...diffGroups('diff.'), { at: '', columns: { deviations: 'f64' } }],
  },
  trace: { spans: 'spans', groups: [] },
  events: {
    frames: ['frames'],
    groups: [
      { at: '', columns: EVENTS },
      { at: '', columns: { parent: 'i32', frame: 'u32' } },
    ],
  },
  heatMap: { groups: [{ at: '', columns: { x: 'u32', y: 'u32', count: 'f64', value: 'f64' } }] },
}

/** Throws WireError if the bytes are not such a response. */
export function readColumnResponse<Name extends ColumnarName>(name: Name, bytes: Uint8Array): ColumnResponses[Name] {
  const file = decodeColumns(bytes)
  const { frames = [], spans, groups } = SHAPES[name]
  const response = isObject(file.fields) ? file.fields : {}
  for (const { at, columns } of groups) {
    const reader = new ColumnReader(file.columns, at)
    const group = objectAt(response, at)
    for (const [key, kind] of Object.entries(columns)) {
      group[key] = reader.column<Column>(key, ARRAYS[kind === 'sums' ? 'f64' : kind])
      if (kind === 'sums') group[`${key}Exact`] = reader.optional(`${key}Exact`, BigInt64Array)
    }
  }
  for (const path of frames) {
    const dot = path.lastIndexOf('.')
    objectAt(response, path.slice(0, Math.max(dot, 0)))[path.slice(dot + 1)] = readFrames(file, path)
  }
  if (spans !== undefined) response[spans] = new Spans(file, spans)
  return response as unknown as ColumnResponses[Name]
}

/** Returns the object at a path, and creates it if it has only columns. */
function objectAt(root: Record<string, unknown>, path: string): Record<string, unknown> {
  let at = root
  for (const key of path === '' ? [] : path.split('.')) {
    const inner = at[key]
    const next = isObject(inner) ? inner : {}
    at[key] = next
    at = next
  }
  return at
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
