// Writes profiles as a speedscope file. Samples in a unit of time that do not overlap keep their times, with empty
// stacks for the gaps. All others become a list whose order has no meaning, and are marked so (see EXTRA_KEY).
import type { Profiles } from '../../model/columns/profiles.ts'
import { JsonWriter } from '../../wire/json/json-writer.ts'
import type { WriteOptions, WriteResult } from '../format.ts'
import { NoteList } from '../format.ts'
import { decimalText } from '../recordings/scaled-number.ts'
import { countLosses } from './count-losses.ts'
import { FrameList } from './frame-list.ts'
import { EXTRA_KEY, SCHEMA, SPEEDSCOPE_ATTRIBUTES } from './names.ts'
import type { SpeedscopeTimeline } from './timeline.ts'
import { timelinesOf } from './timeline.ts'

export function writeSpeedscope(profiles: Profiles, options: WriteOptions = {}): WriteResult {
  const notes = new NoteList()
  countLosses(profiles, notes)
  const frames = new FrameList(profiles.dictionary)
  const writer = new JsonWriter({ indent: options.pretty === true ? 2 : 0 })
  const body = new JsonWriter({ indent: options.pretty === true ? 2 : 0 })
  body.beginArray()
  for (let i = 0; i < profiles.profiles.length; i++) {
    for (const timeline of timelinesOf(profiles, i, notes)) writeTimeline(body, profiles, timeline, frames)
  }
  body.endArray()
  frames.countLosses(notes)
  writer.beginObject()
  writer.key('$schema')
  writer.string(SCHEMA)
  writeFileFields(writer, profiles)
  writer.key('shared')
  writer.beginObject()
  writer.key('frames')
  frames.writeTo(writer)
  writer.endObject()
  writer.key('profiles')
  writer.raw(body.finish())
  writer.endObject()
  return { bytes: writer.finish(), notes: notes.list() }
}

function writeFileFields(writer: JsonWriter, { scopes }: Profiles): void {
  if (scopes.length === 0) return
  const { name, version, attributes } = scopes.scope(0)
  if (name !== '' || version !== '') {
    writer.key('exporter')
    writer.string(version === '' && !name.includes('@') ? name : `${name}@${version}`)
  }
  for (const { key, value } of attributes) {
    if (key === SPEEDSCOPE_ATTRIBUTES.fileName && typeof value === 'string') {
      writer.key('name')
      writer.string(value)
    } else if (key === SPEEDSCOPE_ATTRIBUTES.activeProfile && typeof value === 'bigint') {
      writer.key('activeProfileIndex')
      writer.raw(`${value}`)
    }
  }
}

function writeTimeline(writer: JsonWriter, profiles: Profiles, timeline: SpeedscopeTimeline, frames: FrameList): void {
  const { samples } = profiles
  const { order, start, gaps, unit } = timeline
  writer.beginObject()
  writer.key('type')
  writer.string('sampled')
  writer.key('name')
  writer.string(timeline.name)
  writer.key('unit')
  writer.string(unit.name)
  writer.key('startValue')
  writer.raw(decimalText(start, unit.places))
  writer.key('endValue')
  writer.raw(decimalText(timeline.end, unit.places))
  writeExtra(writer, timeline)
  writer.key('samples')
  writer.beginArray()
  for (let k = 0; k < order.length; k++) {
    if (gaps !== undefined && gaps[k] > 0n) writer.raw('[]')
    writer.raw(frames.stack(samples.stack(order[k])))
  }
  writer.endArray()
  writer.key('weights')
  writer.beginArray()
  for (let k = 0; k < order.length; k++) {
    if (gaps !== undefined && gaps[k] > 0n) writer.raw(`${gaps[k]}`)
    writer.raw(decimalText(timeline.weights[k] * unit.factor, unit.places))
  }
  writer.endArray()
  writer.endObject()
}

function writeExtra(writer: JsonWriter, { extra }: SpeedscopeTimeline): void {
  const entries = Object.entries(extra)
  if (entries.every(([, value]) => value === undefined || value === false)) return
  writer.key(EXTRA_KEY)
  writer.beginObject()
  for (const [key, value] of entries) {
    if (value === undefined || value === false) continue
    writer.key(key)
    writer.value(value)
  }
  writer.endObject()
}
