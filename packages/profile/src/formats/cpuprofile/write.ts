// Writes one profile as a .cpuprofile that DevTools, VS Code and speedscope open.
import { NONE } from '../../model/columns/brand.ts'
import type { Profiles } from '../../model/columns/profiles.ts'
import { JsonWriter } from '../../wire/json/json-writer.ts'
import type { WriteOptions, WriteResult } from '../format.ts'
import { NoteList } from '../format.ts'
import { chooseProfiles } from './choose-profiles.ts'
import { countLosses } from './count-losses.ts'
import { microsText } from './micro-time.ts'
import { NodeTree, writeCallFrame } from './node-tree.ts'
import type { CpuTimeline } from './timeline.ts'
import { timelineOf } from './timeline.ts'

interface Hits {
  readonly counts: bigint[]
  /** By node: line and ticks. */
  readonly ticks: (Map<bigint, bigint> | undefined)[]
}

export function writeCpuprofile(profiles: Profiles, options: WriteOptions = {}): WriteResult {
  const notes = new NoteList()
  const { main, hits: hitsProfile, isOurs, leftOut } = chooseProfiles(profiles, options.type)
  const tree = new NodeTree(profiles.dictionary)
  // Hits come first, because they have the nodes in the order of the file.
  let hits = hitsProfile === NONE ? undefined : countedHits(profiles, hitsProfile, tree)
  const timeline = timelineOf(profiles, main === hitsProfile ? NONE : main, tree, isOurs, notes)
  if (hits === undefined && !isOurs) hits = timelineHits(timeline)
  countLosses(profiles, [main, hitsProfile], tree, leftOut, notes)
  const json = new JsonWriter({ indent: options.pretty === true ? 2 : 0 })
  json.beginObject()
  writeNodes(json, tree, hits)
  const start = main === NONE ? 0n : timeline.start
  json.key('startTime')
  json.raw(microsText(start))
  json.key('endTime')
  json.raw(microsText(start + timeline.duration))
  writeSamples(json, timeline)
  json.endObject()
  return { bytes: json.finish(), notes: notes.list() }
}

function countedHits(profiles: Profiles, profile: number, tree: NodeTree): Hits {
  const hits: Hits = { counts: [], ticks: [] }
  for (let i = profiles.profiles.samplesFrom(profile); i < profiles.profiles.samplesTo(profile); i++) {
    const { node, line } = tree.position(profiles.samples.stack(i))
    addHits(hits, node, line, profiles.samples.total(i))
  }
  return hits
}

function timelineHits(timeline: CpuTimeline): Hits {
  const hits: Hits = { counts: [], ticks: [] }
  for (let i = 0; i < timeline.nodes.length; i++) addHits(hits, timeline.nodes[i], timeline.lines[i], 1n)
  return hits
}

function addHits({ counts, ticks }: Hits, node: number, line: bigint, count: bigint): void {
  counts[node] = (counts[node] ?? 0n) + count
  if (line <= 0n) return
  const lines = (ticks[node] ??= new Map<bigint, bigint>())
  lines.set(line, (lines.get(line) ?? 0n) + count)
}

function writeNodes(json: JsonWriter, tree: NodeTree, hits: Hits | undefined): void {
  const { starts, list } = tree.children()
  json.key('nodes')
  json.beginArray()
  for (let node = 0; node < tree.length; node++) {
    const frame = tree.frame(node)
    json.beginObject()
    json.key('id')
    json.number(node + 1)
    json.key('callFrame')
    writeCallFrame(json, frame)
    if (hits !== undefined) {
      json.key('hitCount')
      json.raw(String(hits.counts[node] ?? 0n))
    }
    if (starts[node + 1] > starts[node]) {
      json.key('children')
      json.beginArray()
      for (let k = starts[node]; k < starts[node + 1]; k++) json.number(list[k] + 1)
      json.endArray()
    }
    if (frame.deopt !== '') {
      json.key('deoptReason')
      json.string(frame.deopt)
    }
    const lines = hits?.ticks[node]
    if (lines !== undefined) writeTicks(json, lines)
    json.endObject()
  }
  json.endArray()
}

function writeTicks(json: JsonWriter, lines: Map<bigint, bigint>): void {
  json.key('positionTicks')
  json.beginArray()
  for (const [line, ticks] of lines) {
    json.beginObject()
    json.key('line')
    json.raw(String(line))
    json.key('ticks')
    json.raw(String(ticks))
    json.endObject()
  }
  json.endArray()
}

function writeSamples(json: JsonWriter, timeline: CpuTimeline): void {
  json.key('samples')
  json.beginArray()
  for (let i = 0; i < timeline.nodes.length; i++) json.number(timeline.nodes[i] + 1)
  json.endArray()
  json.key('timeDeltas')
  json.beginArray()
  const { start, times } = timeline
  for (let i = 0; i < times.length; i++) json.raw(microsText(times[i] - (i === 0 ? start : times[i - 1])))
  json.endArray()
}
