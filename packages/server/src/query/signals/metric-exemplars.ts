// Exemplars of a metric's points: single measured values with their trace and span.
import type { KeyValue } from '@hearth/profile'
import { readAttributes } from '../../store/attribute-text.ts'
import type { ColumnValues } from '../../store/native/column-values.ts'
import { NumberKind } from '../../store/signals/write-metrics.ts'
import type { RunningQuery } from '../query.ts'
import { Values } from '../statement.ts'
import type { MetricIdentity } from './metric-list.ts'
import type { MetricReadOptions } from './metric-numbers.ts'
import { pointRows } from './metric-points.ts'
import { PointGroups, groupText } from './point-groups.ts'

export interface MetricExemplar {
  readonly time: bigint
  /** A bigint if it was sent as an integer. */
  readonly value: bigint | number
  /** Hex; empty if there is none. */
  readonly traceId: string
  readonly spanId: string
  readonly attributes: readonly KeyValue[]
}

const MOST = 20_000
const ARRAYS = [
  'times',
  'value_kinds',
  'doubles',
  'ints',
  'trace_ids',
  'span_ids',
  'attribute_keys',
  'attribute_kinds',
  'attribute_values',
]

/** By the groups' labels. Exemplars with a trace come first, latest first. */
export async function readExemplars(
  running: RunningQuery,
  metric: MetricIdentity,
  { service, keys, step }: MetricReadOptions,
  each: number,
): Promise<ReadonlyMap<string, readonly MetricExemplar[]>> {
  const values = new Values()
  const columns = ARRAYS.map(name => `exemplar_${name}`)
  const rows = pointRows(running, values, metric, { service, keys, step, lookBack: 0n, columns })
  const joined = ARRAYS.map(name => `exemplar_${name} AS each_${name}`).join(', ')
  const given = ARRAYS.map(name => `each_${name}`).join(', ')
  const none = values.add('FixedString(16)', new Uint8Array(16))
  const block = await running.select(
    `SELECT resource, scope, labels, ${given} FROM (${rows}) ARRAY JOIN ${joined} ` +
      `ORDER BY each_trace_ids = ${none}, each_times DESC LIMIT ${each} BY resource, scope, labels LIMIT ${MOST}`,
    values.all,
  )
  const groups = new PointGroups<MetricExemplar[]>(running, keys, () => [])
  await groups.load([block])
  for (let row = 0; row < block.rows; row++) {
    const list = groups.at(block, row)
    if (list.length < each) list.push(exemplarAt(row, name => block.column(`each_${name}`)))
  }
  return new Map(groups.all.map(({ labels, content }): [string, MetricExemplar[]] => [groupText(labels), content]))
}

function exemplarAt(row: number, column: (name: string) => ColumnValues): MetricExemplar {
  const isInt = column('value_kinds').number(row) === NumberKind.int
  return {
    time: column('times').bigint(row),
    value: isInt ? column('ints').bigint(row) : column('doubles').number(row),
    traceId: idText(column('trace_ids').bytes(row)),
    spanId: idText(column('span_ids').bytes(row)),
    attributes: readAttributes(column('attribute_keys'), column('attribute_kinds'), column('attribute_values'), row),
  }
}

function idText(id: Uint8Array): string {
  return id.some(byte => byte !== 0) ? Buffer.from(id).toString('hex') : ''
}
