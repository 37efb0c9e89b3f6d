// Reads one thread of a Firefox profile: its tables, or the shared ones, and its samples.
import type { ProfilesBuilder } from '../../model/build/builder.ts'
import { JsonReader } from '../../wire/json/json-reader.ts'
import type { NoteList } from '../format.ts'
import type { ExpansionLimit } from '../expansion-limit.ts'
import { FirefoxFrameReader } from './frame-reader.ts'
import { EXTRA_KEY } from './names.ts'
import type { Lib } from './read-libs.ts'
import { readLibs } from './read-libs.ts'
import { StringList } from './string-list.ts'
import type { TableColumns, Wanted } from './table-columns.ts'
import { readTable } from './table-columns.ts'

const TABLES: Readonly<Record<string, Wanted>> = {
  frameTable: { location: -1, func: -1, line: 0, column: 0, address: -1, inlineDepth: 0, lib: -1 },
  stackTable: { prefix: -1, prefixOffset: 0, frame: -1 },
  funcTable: { name: -1, isJS: 0, resource: -1, fileName: -1, source: -1, lineNumber: 0 },
  // Columns may end early. The type applies to all.
  resourceTable: { lib: -1, type: 0, name: -1 },
  sources: { filename: -1 },
}
const SAMPLES: Wanted = { stack: -1, time: 0, timeDeltas: 0 }
const SAMPLE_TABLES = ['samples', 'jsAllocations', 'nativeAllocations']
const NO_TABLE = (path: string): TableColumns => readTable(new JsonReader(new Uint8Array([0x7b, 0x7d])), path, {})

/** Parts that threads may share. */
export interface Shared {
  readonly strings: StringList | undefined
  readonly tables: ReadonlyMap<string, TableColumns>
  readonly libs: readonly Lib[]
}

export interface FirefoxSampleTable {
  /** `samples`, or the name of a table of allocations. */
  readonly name: string
  readonly columns: TableColumns
}

export interface FirefoxThread {
  readonly name: string
  readonly pid: string
  readonly tid: string
  readonly processName: string
  readonly extra: ThreadExtra
  readonly frames: FirefoxFrameReader
  /** Whether there is a table of functions, which Gecko's own profiles lack. */
  readonly isProcessed: boolean
  readonly samples: readonly FirefoxSampleTable[]
}

interface ThreadExtra {
  readonly type: string | undefined
  readonly unit: string | undefined
  readonly aggregated: boolean
}

/** Reads the object of `shared`: strings and tables. */
export function readShared(reader: JsonReader, builder: ProfilesBuilder, libs: readonly Lib[]): Shared {
  let strings: StringList | undefined
  const tables = new Map<string, TableColumns>()
  reader.beginObject()
  for (let key = reader.nextKey(); key !== undefined; key = reader.nextKey()) {
    if (key === 'stringArray' && reader.peek() === 'array') {
      strings = new StringList(builder.dictionary)
      strings.read(reader)
    } else if (Object.hasOwn(TABLES, key) && reader.peek() === 'object') {
      tables.set(key, readTable(reader, `shared.${key}`, TABLES[key]))
    }
  }
  return { strings, tables, libs }
}

/** The reader is at the thread. */
export function readThread(
  reader: JsonReader,
  path: string,
  shared: Shared,
  builder: ProfilesBuilder,
  notes: NoteList,
  limit: ExpansionLimit,
): FirefoxThread {
  const texts = new Map<string, string>()
  const tables = new Map(shared.tables)
  const samples: FirefoxSampleTable[] = []
  let { strings, libs } = shared
  let extra: ThreadExtra = { type: undefined, unit: undefined, aggregated: false }
  reader.beginObject()
  for (let key = reader.nextKey(); key !== undefined; key = reader.nextKey()) {
    const kind = reader.peek()
    if (kind === 'string') texts.set(key, reader.string())
    else if (kind === 'number' && (key === 'pid' || key === 'tid')) texts.set(key, String(reader.number()))
    else if ((key === 'stringArray' || key === 'stringTable') && kind === 'array') {
      strings = new StringList(builder.dictionary)
      strings.read(reader)
    } else if (key === 'libs') libs = readLibs(reader, builder)
    else if (key === 'markers' && kind === 'object') countMarkers(reader, notes)
    else if (key === EXTRA_KEY && kind === 'object') extra = readExtra(reader)
    else if (key === 'samples' && kind === 'array') {
      reader.fail('samples are a list of objects, as in profiles without a version, which cannot be read')
    } else if (SAMPLE_TABLES.includes(key) && kind === 'object') {
      samples.push({ name: key, columns: readTable(reader, `${path}.${key}`, SAMPLES, ['weight']) })
    } else if (Object.hasOwn(TABLES, key) && kind === 'object') {
      tables.set(key, readTable(reader, `${path}.${key}`, TABLES[key]))
    }
  }
  const frames = new FirefoxFrameReader(
    builder,
    {
      strings: strings ?? new StringList(builder.dictionary),
      libs,
      frameTable: tables.get('frameTable') ?? NO_TABLE(`${path}.frameTable`),
      stackTable: tables.get('stackTable') ?? NO_TABLE(`${path}.stackTable`),
      funcTable: tables.get('funcTable'),
      resourceTable: tables.get('resourceTable'),
      sources: tables.get('sources'),
    },
    limit,
    notes,
  )
  return {
    name: texts.get('name') ?? '',
    pid: texts.get('pid') ?? '',
    tid: texts.get('tid') ?? '',
    processName: texts.get('processName') ?? '',
    extra,
    frames,
    isProcessed: tables.has('funcTable'),
    samples,
  }
}

function countMarkers(reader: JsonReader, notes: NoteList): void {
  // Every version has `name`, as a column or as a position in rows.
  const columns = readTable(reader, 'markers', { name: -1 })
  notes.add('markers', 'markers', columns.length)
}

function readExtra(reader: JsonReader): ThreadExtra {
  let type: string | undefined
  let unit: string | undefined
  let aggregated = false
  reader.beginObject()
  for (let key = reader.nextKey(); key !== undefined; key = reader.nextKey()) {
    const kind = reader.peek()
    if (key === 'type' && kind === 'string') type = reader.string()
    else if (key === 'unit' && kind === 'string') unit = reader.string()
    else if (key === 'aggregated' && kind === 'boolean') aggregated = reader.boolean()
  }
  return { type, unit, aggregated }
}
