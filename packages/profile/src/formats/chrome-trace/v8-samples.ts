// The samples of V8's profiles of a thread in the order of time: nodes, times, and the time until the next sample.
import type { StackIndex } from '../../model/columns/brand.ts'
import { NONE } from '../../model/columns/brand.ts'
import { GrowingInts, GrowingLongs } from '../../model/columns/growing-columns.ts'
import { compareLongs } from '../../model/columns/order.ts'
import type { NodeTable } from '../cpuprofile/node-table.ts'
import type { EventSamples } from '../recordings/event-samples.ts'
import type { NoteList } from '../format.ts'
import { FormatError } from '../format.ts'
import type { V8Profile } from './v8-profile.ts'

/** Several profiles of one thread follow one another. `set` is the row of the thread's attributes. */
export function addV8Samples(profiles: readonly V8Profile[], set: number, into: EventSamples, notes: NoteList): void {
  const stacks = new GrowingInts()
  const times = new GrowingLongs()
  let end: bigint | undefined
  for (const profile of profiles) {
    collect(profile, stacks, times, notes)
    if (profile.end !== undefined && (end === undefined || profile.end > end)) end = profile.end
  }
  const count = stacks.length
  if (count === 0) return
  const order = byTime(times, notes)
  // Values go from array to array: Node 20's optimizing compiler aborts the process on loops that carry 64-bit numbers
  // in variables.
  const stamps = times.array
  const values = new BigInt64Array(count)
  for (let i = 0; i + 1 < count; i++) values[i] = stamps[order[i + 1]] - stamps[order[i]]
  const last = stamps[order[count - 1]]
  if (end !== undefined && end > last) values[count - 1] = end - last
  const valueHalves = new Int32Array(values.buffer)
  const stampHalves = new Int32Array(stamps.buffer)
  for (let i = 0; i < count; i++) {
    if (stacks.array[order[i]] === NONE) continue
    const at = 2 * order[i]
    into.add(
      stacks.array[order[i]],
      set,
      valueHalves[2 * i],
      valueHalves[2 * i + 1],
      stampHalves[at],
      stampHalves[at + 1],
    )
  }
}

function collect(profile: V8Profile, stacks: GrowingInts, times: GrowingLongs, notes: NoteList): void {
  const { nodes, chunks } = profile
  const atLine = new Map<number, StackIndex>()
  if (!nodes.link(notes)) throw new FormatError('chrome-trace', chunks[0]?.at ?? 0, 'a node is its own caller')
  chunks.sort((a, b) => compareLongs(a.time, b.time))
  let at = profile.start ?? chunks[0]?.time ?? 0n
  for (const { ids, deltas, lines, at: offset } of chunks) {
    const first = times.length
    for (const [i, id] of ids.entries()) {
      const row = nodes.rowOf(id)
      times.push(i === 0 ? at : times.array[times.length - 1])
      if (i < deltas.length) times.array[times.length - 1] += deltas.array[i]
      if (row === NONE) {
        notes.addDamage('skipped-samples', 'samples of nodes that do not exist are skipped')
        stacks.push(NONE)
        continue
      }
      const line = i < lines.length ? lines.array[i] : 0
      const stack = line > 0 && !nodes.isRoot(row) ? stackAtLine(nodes, row, line, atLine) : nodes.stack(row)
      if (stack === undefined) throw new FormatError('chrome-trace', offset, 'the stacks of the nodes are too large')
      stacks.push(stack)
    }
    notes.add(
      'missing-times',
      'samples without a time get the time of the previous sample',
      Math.max(0, ids.length - deltas.length),
    )
    if (times.length > first) at = times.array[times.length - 1]
  }
}

/** Many samples share a line: 1 million of them took 8 s without `known`. */
function stackAtLine(
  nodes: NodeTable,
  row: number,
  line: number,
  known: Map<number, StackIndex>,
): StackIndex | undefined {
  const key = row * 2 ** 31 + line
  const before = known.get(key)
  if (before !== undefined) return before
  const stack = nodes.stackAtLine(row, line)
  if (stack !== undefined) known.set(key, stack)
  return stack
}

function byTime({ array, length }: GrowingLongs, notes: NoteList): Int32Array {
  let clamped = 0
  for (let i = 0; i < length; i++) {
    if (array[i] >= 0n) continue
    array[i] = 0n
    clamped++
  }
  notes.add('negative-times', 'times before 0 are set to 0', clamped)
  const order = Int32Array.from({ length }, (_, i) => i)
  let isSorted = true
  for (let i = 1; i < length && isSorted; i++) isSorted = array[i - 1] <= array[i]
  if (isSorted) return order
  notes.add('unordered-samples', 'samples are sorted by time')
  return order.sort((a, b) => (array[a] < array[b] ? -1 : array[a] > array[b] ? 1 : a - b))
}
