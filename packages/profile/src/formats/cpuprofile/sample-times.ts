// Computes the time and duration of each sample from deltas, from timestamps, or from start and end alone.
import type { GrowingLongs } from '../../model/columns/growing-columns.ts'
import type { NoteList } from '../format.ts'
import type { CpuRecording } from './recording.ts'

export interface SampleTimes {
  readonly start: bigint
  readonly duration: bigint
  /** By sample, in the order of the file. */
  readonly times: BigInt64Array
  /** The samples in the order of their times. */
  readonly order: Int32Array
  /** By position in that order: the time until the next sample, or until the end. */
  readonly values: BigInt64Array
}

/** Returns undefined if a time exceeds 64 bits. */
export function sampleTimes(recording: CpuRecording, notes: NoteList): SampleTimes | undefined {
  const count = recording.samples.length
  const times = new BigInt64Array(count)
  const { deltas, timestamps } = recording
  let { start, end } = recording
  if (timestamps !== undefined && timestamps.length > 0) {
    // One entry more than there are samples: the first is the start.
    const first = timestamps.length === count + 1 ? 1 : 0
    const { array, length } = timestamps
    for (let i = 0; i < count; i++) times[i] = array[Math.min(i + first, length - 1)]
    if (length < count)
      notes.add('missing-times', 'samples without a time get the time of the previous one', count - length)
    // The old form has start and end in seconds, next to timestamps in microseconds.
    if (start === undefined || start * 1000n < array[0]) start = array[0]
    if (end === undefined || end * 1000n < array[0]) end = undefined
  } else if (deltas !== undefined && deltas.length > 0) {
    if (!addUp(times, start ?? 0n, deltas)) return undefined
    notes.add(
      'missing-times',
      'samples without a time get the time of the previous one',
      Math.max(0, count - deltas.length),
    )
  } else if (count > 0) {
    const from = start ?? 0n
    const span = (end ?? from) - from
    for (let i = 0; i < count; i++) times[i] = from + (span * BigInt(i)) / BigInt(count)
    notes.add('missing-times', 'samples without a time are spread evenly from start to end', count)
  }
  let clamped = 0
  for (let i = 0; i < count; i++) {
    if (times[i] >= 0n) continue
    times[i] = 0n
    clamped++
  }
  notes.add('negative-times', 'times before 0 are set to 0', clamped)
  const order = byTime(times)
  if (order.some((sample, i) => sample !== i)) notes.add('unordered-samples', 'samples are sorted by time')
  const begin = atLeastZero(start ?? (count > 0 ? times[order[0]] : 0n))
  const finish = end ?? (count > 0 ? times[order[count - 1]] : begin)
  const duration = atLeastZero(finish - begin)
  const values = new BigInt64Array(count)
  for (let i = 0; i + 1 < count; i++) values[i] = times[order[i + 1]] - times[order[i]]
  if (count > 0) values[count - 1] = atLeastZero(begin + duration - times[order[count - 1]])
  return { start: begin, duration, times, order, values }
}

// Here and below, 64-bit numbers go from array to array: Node 20's optimizing compiler aborts the process on loops that
// carry them in variables ("RepresentationChangerError").
function addUp(times: BigInt64Array, start: bigint, { array, length }: GrowingLongs): boolean {
  let size = Number(start)
  for (let i = 0; i < times.length; i++) {
    times[i] = i === 0 ? start : times[i - 1]
    if (i < length) {
      times[i] += array[i]
      size += Number(array[i])
    }
    if (Math.abs(size) >= 2 ** 63) return false
  }
  return true
}

function atLeastZero(value: bigint): bigint {
  return value < 0n ? 0n : value
}

/** Stable, and fast if the times are already in order. */
function byTime(times: BigInt64Array): Int32Array {
  const order = Int32Array.from({ length: times.length }, (_, i) => i)
  let sorted = true
  for (let i = 1; i < times.length && sorted; i++) sorted = times[i - 1] <= times[i]
  if (!sorted) order.sort((a, b) => (times[a] < times[b] ? -1 : times[a] > times[b] ? 1 : a - b))
  return order
}
