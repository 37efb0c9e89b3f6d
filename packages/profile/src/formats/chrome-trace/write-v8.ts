// Writes the samples of a thread like V8's profiler does: a Profile event and a ProfileChunk.
import { MAX_INT64 } from '../../model/columns/int64.ts'
import type { Profiles } from '../../model/columns/profiles.ts'
import { microsText } from '../cpuprofile/micro-time.ts'
import type { NodeTree } from '../cpuprofile/node-tree.ts'
import { writeCallFrame } from '../cpuprofile/node-tree.ts'
import type { NoteList } from '../format.ts'
import { BOUNDS_CATEGORY, BOUNDS_NAME } from './attribute-names.ts'
import type { TraceEventWriter } from './event-writer.ts'
import type { ThreadObservations } from './observations.ts'

const CATEGORY = 'disabled-by-default-v8.cpu_profiler'

export function writeV8Profile(
  { samples }: Profiles,
  thread: ThreadObservations,
  tree: NodeTree,
  events: TraceEventWriter,
  number: number,
  isTimed: boolean,
  notes: NoteList,
): void {
  const { rows } = thread
  if (rows.length === 0) return
  const { json } = events
  const tid = events.thread(thread)
  const positions = rows.map(({ sample }) => tree.position(samples.stack(sample)))
  const start = rows[0].time
  const last = rows[rows.length - 1]
  begin(events, 'Profile', tid, start, number)
  json.key('startTime')
  json.raw(microsText(start))
  end(events)
  begin(events, 'ProfileChunk', tid, start, number)
  json.key('cpuProfile')
  json.beginObject()
  writeNodes(events, tree)
  json.key('samples')
  json.beginArray()
  for (const { node } of positions) json.number(node + 1)
  json.endArray()
  json.endObject()
  json.key('timeDeltas')
  json.beginArray()
  for (const [i, { time }] of rows.entries()) json.raw(microsText(i === 0 ? 0n : time - rows[i - 1].time))
  json.endArray()
  if (positions.some(({ line }) => line > 0n)) {
    json.key('lines')
    json.beginArray()
    for (const { line } of positions) json.raw(String(line))
    json.endArray()
  }
  const endTime = last.value > 0n ? last.time + last.value : last.time
  const shownEnd = endTime > MAX_INT64 ? MAX_INT64 : endTime
  if (last.value > 0n) {
    json.key('endTime')
    json.raw(microsText(shownEnd))
  }
  end(events)
  for (const time of [start, shownEnd]) writeBound(events, tid, time)
  if (!isTimed) return
  let changed = 0
  for (let i = 0; i + 1 < rows.length; i++) if (rows[i].value !== rows[i + 1].time - rows[i].time) changed++
  if (last.value < 0n) changed++
  notes.add('values-left-out', 'values other than the time until the next sample are dropped', changed)
}

function writeNodes({ json }: TraceEventWriter, tree: NodeTree): void {
  json.key('nodes')
  json.beginArray()
  for (let node = 0; node < tree.length; node++) {
    const frame = tree.frame(node)
    json.beginObject()
    json.key('id')
    json.number(node + 1)
    if (node > 0) {
      json.key('parent')
      json.number(tree.parent(node) + 1)
    }
    json.key('callFrame')
    writeCallFrame(json, frame)
    if (frame.deopt !== '') {
      json.key('deoptReason')
      json.string(frame.deopt)
    }
    json.endObject()
  }
  json.endArray()
}

function writeBound(events: TraceEventWriter, tid: ReturnType<TraceEventWriter['thread']>, time: bigint): void {
  const { json } = events
  events.begin('I', BOUNDS_NAME, tid, time)
  json.key('s')
  json.string('t')
  json.key('cat')
  json.string(BOUNDS_CATEGORY)
  json.key('args')
  json.beginObject()
  json.endObject()
  json.endObject()
}

function begin(
  events: TraceEventWriter,
  name: string,
  tid: ReturnType<TraceEventWriter['thread']>,
  time: bigint,
  id: number,
): void {
  const { json } = events
  events.begin('P', name, tid, time)
  json.key('cat')
  json.string(CATEGORY)
  json.key('id')
  json.string(`0x${id.toString(16)}`)
  json.key('args')
  json.beginObject()
  json.key('data')
  json.beginObject()
}

function end({ json }: TraceEventWriter): void {
  json.endObject()
  json.endObject()
  json.endObject()
}
