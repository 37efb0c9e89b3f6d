// Answers of the query engine as JSON objects.
import type { AnyValue, ValueColumns } from '@hearth/profile'
import { exactSelf, exactTotal, isKeyValueList } from '@hearth/profile'
import type { z } from 'zod'
import type { AnswerFrame } from '../../query/answer-frames.ts'
import type { Diff, DiffSide } from '../../query/diff.ts'
import type { Events } from '../../query/events.ts'
import type { FlameGraph, Hidden, TreeColumns } from '../../query/flame-graph.ts'
import type { HeatMap } from '../../query/heat-map.ts'
import type { ProfileList } from '../../query/profile-list.ts'
import type { Sandwich, SandwichTree } from '../../query/sandwich.ts'
import type { SeriesTotals } from '../../query/series-totals.ts'
import type { Top } from '../../query/top.ts'
import type { Measured } from '../../query/weights.ts'
import type * as answers from './answers.ts'

type Json<Schema extends z.ZodType> = z.infer<Schema>

export function flameGraphJson(tree: FlameGraph): Json<typeof answers.flameGraph> {
  const { order, sum, overflow, hidden } = tree
  return {
    ...measuredJson(tree),
    order,
    sum: sum.toString(),
    overflow,
    hidden: hiddenJson(hidden),
    frames: tree.frames.map(frameJson),
    nodes: nodesJson(tree),
  }
}

export function topJson(top: Top): Json<typeof answers.top> {
  const { sum, overflow, allFrames, frames } = top
  const rows = frames.map((frame, i) => ({
    frame: frameJson(frame),
    self: exactSelf(top, i).toString(),
    total: exactTotal(top, i).toString(),
  }))
  return { ...measuredJson(top), sum: sum.toString(), overflow, allFrames, rows }
}

export function sandwichJson(answer: Sandwich): Json<typeof answers.sandwich> {
  const { frame, sum, total, overflow, callers, callees } = answer
  return {
    ...measuredJson(answer),
    frame: frameJson(frame),
    sum: sum.toString(),
    total: total.toString(),
    overflow,
    callers: sandwichTreeJson(callers),
    callees: sandwichTreeJson(callees),
  }
}

function sandwichTreeJson(tree: SandwichTree): Json<typeof answers.sandwichTree> {
  return { frames: tree.frames.map(frameJson), nodes: nodesJson(tree), hidden: hiddenJson(tree.hidden) }
}

export function diffJson(diff: Diff): Json<typeof answers.diff> {
  const delta = valuesJson(diff.delta)
  return {
    order: diff.order,
    scale: diff.scale,
    before: sideJson(diff.before),
    after: sideJson(diff.after),
    frames: diff.frames.map(frameJson),
    nodes: { ...shapeJson(diff), presence: [...diff.presence], selfDelta: delta.self, totalDelta: delta.total },
  }
}

function sideJson(side: DiffSide): Json<typeof answers.diffSide> {
  const { sum, overflow, hidden, columns } = side
  const common = { ...measuredJson(side), sum: sum.toString(), overflow, hidden: hiddenJson(hidden) }
  return { ...common, ...valuesJson(columns) }
}

export function seriesJson(series: SeriesTotals): Json<typeof answers.series> {
  const { step, aggregation, groupBy, overflow, groups } = series
  return {
    ...measuredJson(series),
    step: step.toString(),
    aggregation,
    groupBy: [...groupBy],
    overflow,
    groups: groups.map(({ labels, points, exemplars }) => ({
      labels: labels.map(valueJson),
      points: points.map(({ time, value, sum, profiles }) => ({
        time: time.toString(),
        value,
        sum: sum.toString(),
        profiles,
      })),
      exemplars: exemplars.map(({ profile, time, sum }) => ({ profile, time: time.toString(), sum: sum.toString() })),
    })),
  }
}

export function profilesJson({ profiles, next }: ProfileList): Json<typeof answers.profiles> {
  const rows = profiles.map(row => ({
    ...row,
    period: row.period.toString(),
    time: row.time.toString(),
    duration: row.duration.toString(),
    total: row.total.toString(),
  }))
  return { profiles: rows, ...(next === undefined ? {} : { next }) }
}

export function eventsJson(events: Events): Json<typeof answers.events> {
  return {
    ...measuredJson(events),
    threads: events.threads.map(({ service, resource, id, name }) => ({
      service,
      resource: resource.toString(),
      id: valueJson(id),
      name: valueJson(name),
    })),
    thread: [...events.thread],
    time: Array.from(events.time, String),
    value: Array.from(events.value, String),
    node: [...events.node],
    parent: [...events.parent],
    frame: [...events.frame],
    frames: events.frames.map(frameJson),
  }
}

export function heatMapJson(map: HeatMap): Json<typeof answers.heatMap> {
  const { column, rows, columns, row, count, value } = map
  const cells = { x: [...columns], y: [...row], count: [...count], value: [...value] }
  return { ...measuredJson(map), column: column.toString(), rows, ...cells }
}

/** As OTLP's JSON has it. */
export function valueJson(value: AnyValue): Json<typeof answers.attributeValue> {
  if (value === undefined) return {}
  if (typeof value === 'string') return { stringValue: value }
  if (typeof value === 'boolean') return { boolValue: value }
  if (typeof value === 'bigint') return { intValue: value.toString() }
  if (typeof value === 'number') {
    return { doubleValue: Number.isFinite(value) ? value : (String(value) as 'NaN' | 'Infinity' | '-Infinity') }
  }
  if (value instanceof Uint8Array) return { bytesValue: Buffer.from(value).toString('base64') }
  if (!isKeyValueList(value)) return { arrayValue: { values: value.map(valueJson) } }
  return { kvlistValue: { values: value.entries.map(entry => ({ key: entry.key, value: valueJson(entry.value) })) } }
}

function measuredJson({ type, unit, temporality, profiles, clamped }: Measured): Measured {
  return { type, unit, temporality, profiles, clamped }
}

function hiddenJson({ nodes, self }: Hidden): Json<typeof answers.hidden> {
  return { nodes, self: self.toString() }
}

/** What is not known is left out. */
function frameJson({ name, file, line, address, mapping, type }: AnswerFrame): Json<typeof answers.frame> {
  return {
    name,
    ...(file === '' ? {} : { file }),
    ...(line === undefined ? {} : { line: line.toString() }),
    ...(address === undefined ? {} : { address: address.toString() }),
    ...(mapping === '' ? {} : { mapping }),
    ...(type === undefined ? {} : { type }),
  }
}

function nodesJson(tree: TreeColumns & ValueColumns): Json<typeof answers.treeNodes> {
  return { ...shapeJson(tree), ...valuesJson(tree) }
}

/** Depth and end follow from the parents, as nodes are in depth-first order. */
function shapeJson({ parent, frame, hiddenChildren }: TreeColumns) {
  return { parent: [...parent], frame: [...frame], hiddenChildren: [...hiddenChildren] }
}

function valuesJson(columns: ValueColumns): { self: string[]; total: string[] } {
  if (columns.selfExact === undefined) {
    return { self: Array.from(columns.self, String), total: Array.from(columns.total, String) }
  }
  return {
    self: Array.from(columns.self, (_, i) => exactSelf(columns, i).toString()),
    total: Array.from(columns.total, (_, i) => exactTotal(columns, i).toString()),
  }
}
