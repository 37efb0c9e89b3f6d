// Writes profiles as a processed Firefox profile. Each thread of each profile is a thread of the file, with its own
// tables. Strings and libraries are shared.
import type { Profiles } from '../../model/columns/profiles.ts'
import { earliest, latest } from '../../model/columns/time-range.ts'
import { JsonWriter } from '../../wire/json/json-writer.ts'
import type { WriteOptions, WriteResult } from '../format.ts'
import { NoteList } from '../format.ts'
import { decimalText } from '../recordings/scaled-number.ts'
import { countLosses } from './count-losses.ts'
import { NO_INTERVAL_KEY, WRITTEN_VERSION } from './names.ts'
import { SharedTables } from './shared-tables.ts'
import { ThreadTablesWriter } from './thread-tables.ts'
import type { WrittenThread } from './thread-list.ts'
import { threadsOf } from './thread-list.ts'

const MILLISECONDS = 6
/** The interval of profiles without a period. */
const DEFAULT_INTERVAL = 1_000_000n

export function writeFirefox(profiles: Profiles, options: WriteOptions = {}): WriteResult {
  const notes = new NoteList()
  countLosses(profiles, notes)
  const threads = threadsOf(profiles, notes)
  const span = spanOf(profiles, threads, notes)
  const shared = new SharedTables(profiles.dictionary)
  const body = new JsonWriter({ indent: options.pretty === true ? 2 : 0 })
  body.beginArray()
  for (const thread of threads)
    new ThreadTablesWriter(profiles, shared, notes).write(body, thread, span.start, span.interval)
  body.endArray()
  const writer = new JsonWriter({ indent: options.pretty === true ? 2 : 0 })
  writer.beginObject()
  writer.key('meta')
  writeMeta(writer, span)
  writer.key('libs')
  shared.writeLibs(writer)
  writer.key('shared')
  writer.value({ stringArray: shared.strings() })
  writer.key('threads')
  writer.raw(body.finish())
  writer.endObject()
  return { bytes: writer.finish(), notes: notes.list() }
}

interface Span {
  readonly start: bigint
  readonly end: bigint
  readonly interval: bigint
}

/** Times of a file count from one start, the earliest of its profiles. */
function spanOf({ profiles }: Profiles, threads: readonly WrittenThread[], notes: NoteList): Span {
  const timed = [...new Set(threads.filter(thread => thread.isTimed).map(thread => thread.profile))]
  const firsts = threads.flatMap(thread => (thread.isTimed && thread.times.length > 0 ? [thread.times[0]] : []))
  const lasts = threads.flatMap(thread => (thread.isTimed && thread.times.length > 0 ? [thread.times.at(-1)!] : []))
  const dated = timed.filter(i => profiles.time(i) > 0n)
  const start = earliest([...dated.map(i => profiles.time(i)), ...firsts]) ?? 0n
  const ends = dated.map(i => profiles.time(i) + profiles.duration(i))
  const end = latest([...ends, ...lasts, start]) ?? start
  const periods = new Set(timed.map(i => profiles.period(i)).filter(period => period > 0n))
  if (periods.size > 1) notes.add('periods', 'periods of other profiles; a file has one interval', periods.size - 1)
  const differing = timed.filter(i => profiles.time(i) !== start || profiles.time(i) + profiles.duration(i) !== end)
  notes.add('profile-times', 'times and durations of other profiles; a file has one of each', differing.length)
  return { start, end, interval: [...periods][0] ?? 0n }
}

function writeMeta(writer: JsonWriter, { start, end, interval }: Span): void {
  const number = (key: string, value: string): void => {
    writer.key(key)
    writer.raw(value)
  }
  writer.beginObject()
  number('version', '31')
  number('preprocessedProfileVersion', `${WRITTEN_VERSION}`)
  number('startTime', decimalText(start, MILLISECONDS))
  number('profilingStartTime', '0')
  number('profilingEndTime', decimalText(end - start, MILLISECONDS))
  number('interval', decimalText(interval > 0n ? interval : DEFAULT_INTERVAL, MILLISECONDS))
  number('processType', '0')
  number('stackwalk', '1')
  for (const [key, value] of Object.entries({
    product: 'Hearth',
    importedFrom: 'Hearth',
    symbolicated: true,
    symbolicationNotSupported: true,
    usesOnlyOneStackType: true,
    sourceCodeIsNotOnSearchfox: true,
    keepProfileThreadOrder: true,
    debug: false,
    markerSchema: [],
    categories: [{ name: 'Other', color: 'grey', subcategories: ['Other'] }],
  })) {
    writer.key(key)
    writer.value(value)
  }
  if (interval === 0n) {
    writer.key(NO_INTERVAL_KEY)
    writer.raw('1')
  }
  writer.endObject()
}
