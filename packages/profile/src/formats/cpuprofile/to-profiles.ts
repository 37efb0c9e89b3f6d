// Converts a recording to the model: one profile of time, each observation with its timestamp and the time until the
// next, and one of counts, by line if there are position ticks.
import { NONE } from '../../model/columns/brand.ts'
import type { ProfilesBuilder } from '../../model/build/builder.ts'
import type { GrowingInts } from '../../model/columns/growing-columns.ts'
import { SequenceInterner } from '../../model/build/intern.ts'
import { EventSamples } from '../recordings/event-samples.ts'
import { HITS_TYPE, HITS_UNIT, SCOPE_NAME, TIME_TYPE, TIME_UNIT } from './attribute-names.ts'
import type { NodeTable } from './node-table.ts'
import type { SampleTimes } from './sample-times.ts'

/** Returns false if the stacks would be too large. */
export function addProfiles(
  builder: ProfilesBuilder,
  nodes: NodeTable,
  samples: GrowingInts,
  times: SampleTimes,
): boolean {
  const timed = timedSamples(nodes, samples, times)
  const counted = countedSamples(nodes, samples)
  if (timed === undefined || counted === undefined) return false
  builder.scope({ name: SCOPE_NAME })
  const sets = new SequenceInterner()
  sets.intern(new Int32Array(0), 0, 0)
  const header = { timeUnixNano: times.start, durationNano: times.duration }
  if (timed.length > 0 || counted.length === 0) {
    builder.profile({ type: TIME_TYPE, unit: TIME_UNIT, ...header })
    timed.writeTo(builder, sets)
  }
  if (counted.length > 0) {
    builder.profile({ type: HITS_TYPE, unit: HITS_UNIT, ...header })
    counted.writeTo(builder, sets)
  }
  return true
}

function timedSamples(nodes: NodeTable, samples: GrowingInts, times: SampleTimes): EventSamples | undefined {
  const timed = new EventSamples(true, true)
  const { order } = times
  const values = new Int32Array(times.values.buffer)
  const stamps = new Int32Array(times.times.buffer)
  for (let i = 0; i < order.length; i++) {
    const row = samples.array[order[i]]
    if (row === NONE) continue
    const stack = nodes.stack(row)
    if (stack === undefined) return undefined
    const at = 2 * order[i]
    timed.add(stack, 0, values[2 * i], values[2 * i + 1], stamps[at], stamps[at + 1])
  }
  return timed
}

/** Zero keeps a leaf that was never hit in the tree. */
function countedSamples(nodes: NodeTable, samples: GrowingInts): EventSamples | undefined {
  const counted = new EventSamples(true, false)
  const sampled = new Uint8Array(nodes.length)
  for (let i = 0; i < samples.length; i++) if (samples.array[i] !== NONE) sampled[samples.array[i]] = 1
  const { ticks } = nodes
  const rests = nodes.values.array.slice(0, nodes.length)
  const restHalves = new Int32Array(rests.buffer)
  const counts = nodes.tickCounts.array
  const countHalves = new Int32Array(counts.buffer)
  // The ticks of a node are consecutive.
  let k = 0
  const order = ticksByNode(nodes)
  for (let row = 0; row < nodes.length; row++) {
    let hasTicks = false
    for (; k < order.length && ticks.array[2 * order[k]] === row; k++) {
      const at = order[k]
      const stack = nodes.stackAtLine(row, ticks.array[2 * at + 1])
      if (stack === undefined) return undefined
      counted.add(stack, 0, countHalves[2 * at], countHalves[2 * at + 1], 0, 0)
      rests[row] -= counts[at]
      hasTicks = true
    }
    const isBareLeaf = !hasTicks && nodes.isLeaf(row) && sampled[row] === 0
    const lo = restHalves[2 * row]
    const hi = restHalves[2 * row + 1]
    const isZero = (lo | hi) === 0
    if (isZero && !isBareLeaf) continue
    const stack = nodes.stack(row)
    if (stack === undefined) return undefined
    if (!isZero || stack !== 0) counted.add(stack, 0, lo, hi, 0, 0)
  }
  return counted
}

/** In the nested form, the ticks of a node may follow those of its children. */
function ticksByNode(nodes: NodeTable): Int32Array {
  const { array } = nodes.ticks
  const order = Int32Array.from({ length: nodes.tickCounts.length }, (_, i) => i)
  let last = NONE
  for (const i of order) {
    if (array[2 * i] < last) return order.sort((a, b) => array[2 * a] - array[2 * b] || a - b)
    last = array[2 * i]
  }
  return order
}
