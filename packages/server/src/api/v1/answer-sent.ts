// Answers of the query engine as they are sent: objects of the schemas, with columns where lists are long.
import type { AnyValue, ValueColumns } from '@hearth/profile'
import { isKeyValueList } from '@hearth/profile'
import type { z } from 'zod'
import type { Diff, DiffSide } from '../../query/trees/diff.ts'
import type { Events } from '../../query/events/events.ts'
import type { FlameGraph, Hidden, TreeColumns } from '../../query/trees/flame-graph.ts'
import type { HeatMap } from '../../query/series/heat-map.ts'
import type { ProfileList } from '../../query/profiles/profile-list.ts'
import type { Sandwich, SandwichTree } from '../../query/trees/sandwich.ts'
import type { SeriesTotals } from '../../query/series/series-totals.ts'
import type { Top } from '../../query/trees/top.ts'
import type { Measured, Missing } from '../../query/trees/summed-stacks.ts'
import type * as answers from './answers.ts'
import type { Sent } from './response/response-columns.ts'
import { Frames, Numbers, Rows, Sums, Wholes, frameJson } from './response/response-columns.ts'

type Json<Schema extends z.ZodType> = z.infer<Schema>
type Out<Schema extends z.ZodType> = Sent<z.infer<Schema>>

export function flameGraphSent(tree: FlameGraph): Out<typeof answers.flameGraph> {
  const { order, sum, overflow, hidden, missing } = tree
  return {
    ...measuredJson(tree),
    order,
    sum: sum.toString(),
    overflow,
    hidden: hiddenJson(hidden),
    missing: missingJson(missing),
    frames: new Frames(tree.frames),
    nodes: nodesSent(tree),
  }
}

export function topSent(top: Top): Out<typeof answers.top> {
  const { sum, overflow, missing, allFrames, frames } = top
  const rows = new Rows(frames.length, { frame: new Frames(frames), ...valuesSent(top) })
  return { ...measuredJson(top), sum: sum.toString(), overflow, missing: missingJson(missing), allFrames, rows }
}

export function sandwichSent(answer: Sandwich): Out<typeof answers.sandwich> {
  const { frame, sum, total, overflow, missing, callers, callees } = answer
  return {
    ...measuredJson(answer),
    frame: frameJson(frame),
    sum: sum.toString(),
    total: total.toString(),
    overflow,
    missing: missingJson(missing),
    callers: sandwichTreeSent(callers),
    callees: sandwichTreeSent(callees),
  }
}

function sandwichTreeSent(tree: SandwichTree): Out<typeof answers.sandwichTree> {
  return { frames: new Frames(tree.frames), nodes: nodesSent(tree), hidden: hiddenJson(tree.hidden) }
}

export function diffSent(diff: Diff): Out<typeof answers.diff> {
  const delta = valuesSent(diff.delta)
  return {
    order: diff.order,
    scale: diff.scale,
    before: sideSent(diff.before),
    after: sideSent(diff.after),
    frames: new Frames(diff.frames),
    nodes: { ...shapeSent(diff), presence: new Numbers(diff.presence), selfDelta: delta.self, totalDelta: delta.total },
  }
}

function sideSent(side: DiffSide): Out<typeof answers.diffSide> {
  const { sum, overflow, hidden, missing, columns } = side
  return {
    ...measuredJson(side),
    sum: sum.toString(),
    overflow,
    hidden: hiddenJson(hidden),
    missing: missingJson(missing),
    ...valuesSent(columns),
  }
}

export function seriesSent(series: SeriesTotals): Out<typeof answers.series> {
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
      exemplars: exemplars.map(each => ({ ...each, time: each.time.toString(), sum: each.sum.toString() })),
    })),
  }
}

export function profilesSent({ profiles, next }: ProfileList): Out<typeof answers.profiles> {
  const rows = profiles.map(row => ({
    ...row,
    period: row.period.toString(),
    time: row.time.toString(),
    duration: row.duration.toString(),
    total: row.total.toString(),
  }))
  return { profiles: rows, ...(next === undefined ? {} : { next }) }
}

export function eventsSent(events: Events): Out<typeof answers.events> {
  const { profiles, untimed, states, links, every, hiddenThreads, outside } = events
  return {
    from: events.from.toString(),
    to: events.to.toString(),
    profiles,
    untimed,
    kinds: events.kinds.map(kind => ({ ...kind, period: kind.period.toString() })),
    resources: events.resources.map(({ id, service, attributes }) => ({
      id: id.toString(),
      service,
      attributes: [...attributes],
    })),
    threads: events.threads.map(thread => ({ ...thread, id: valueJson(thread.id), name: valueJson(thread.name) })),
    states: [...states],
    links: [...links],
    events: events.events,
    every,
    longest: events.longest.toString(),
    hiddenThreads,
    outside: { ...outside, first: outside.first.toString(), last: outside.last.toString() },
    missing: missingJson(events.missing),
    thread: new Numbers(events.thread),
    kind: new Numbers(events.kind),
    time: new Wholes(events.time),
    value: new Wholes(events.value),
    node: new Numbers(events.node),
    state: new Numbers(events.state),
    cpu: new Numbers(events.cpu),
    link: new Numbers(events.link),
    parent: new Numbers(events.parent),
    frame: new Numbers(events.frame),
    frames: new Frames(events.frames),
  }
}

export function heatMapSent(map: HeatMap): Out<typeof answers.heatMap> {
  const { column, rows, origin, columns, row, count, value } = map
  const cells = { x: new Numbers(columns), y: new Numbers(row), count: new Numbers(count), value: new Numbers(value) }
  return { ...measuredJson(map), column: column.toString(), rows, origin: origin.toString(), ...cells }
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

function missingJson({ stacks, self }: Missing): Json<typeof answers.missing> {
  return { stacks, self: self.toString() }
}

function nodesSent(tree: TreeColumns & ValueColumns): Out<typeof answers.treeNodes> {
  return { ...shapeSent(tree), ...valuesSent(tree) }
}

/** Depth and end follow from the parents, as nodes are in depth-first order. */
function shapeSent({ parent, frame, hiddenChildren }: TreeColumns) {
  return { parent: new Numbers(parent), frame: new Numbers(frame), hiddenChildren: new Numbers(hiddenChildren) }
}

function valuesSent({ self, total, selfExact, totalExact }: ValueColumns) {
  return { self: new Sums(self, selfExact), total: new Sums(total, totalExact) }
}
