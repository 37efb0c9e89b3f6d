// Reads and writes files of TracesData, LogsData and MetricsData: one protobuf message, messages with their length as the
// Collector writes them, or JSON objects one after another.
import type { Codecs, Note } from '@hearth/profile'
import { FormatError, NoteList, framesOf, joinBytes } from '@hearth/profile'
import type { SignalContent, SignalKind, SignalName } from './signal-content.ts'
import { SIGNAL_CODECS, SIGNAL_LISTS } from './signal-content.ts'
import type { UnknownCounts } from '../protobuf/wire-cursor.ts'

export interface SignalFile {
  readonly content: SignalContent
  /** The number of messages in the file. `content` contains all of them. */
  readonly messages: number
  readonly notes: readonly Note[]
}

export interface SignalFileOptions {
  /** Decompressors for messages that are compressed one by one. */
  readonly codecs?: Codecs | undefined
  /** Reads the messages before a broken one. A note reports the rest. */
  readonly lenient?: boolean | undefined
}

/** Throws FormatError with the path of the broken field. */
export function readSignalFile(bytes: Uint8Array, kind: SignalKind, options: SignalFileOptions = {}): SignalFile {
  const { signal, encoding } = kind
  const notes = new NoteList()
  const lenient = options.lenient === true
  const frames = framesOf(bytes, `OTLP ${signal}`, { codecs: options.codecs, notes: lenient ? notes : undefined })
  const found: SignalContent['data'][] = []
  const decoding = {
    onUnknownFields: ({ kept, dropped }: UnknownCounts) => {
      notes.add('unknown-fields-kept', `fields that OTLP ${signal} do not define were kept`, kept)
      notes.add('unknown-fields', `fields that OTLP ${signal} do not define were dropped`, dropped)
    },
  }
  try {
    for (const { bytes: content, from, to } of frames) {
      const message = content.subarray(from, to)
      if (encoding === 'json')
        for (const each of SIGNAL_CODECS[signal].decodeJsonObjects(message, decoding)) found.push(each)
      else found.push(SIGNAL_CODECS[signal].decode(message, decoding))
    }
  } catch (error) {
    if (!(error instanceof FormatError)) throw error
    if (!lenient || found.length === 0) throw frames.length > 1 ? inMessage(error, found.length) : error
    notes.addDamage('skipped-messages', `message ${found.length + 1} is broken and was skipped with all that follow`)
  }
  return { content: joined(signal, found), messages: found.length, notes: notes.list() }
}

/** Returns one content with the resources of all, in order. */
export function joinSignals(contents: readonly SignalContent[]): SignalContent {
  return joined(
    contents[0].signal,
    contents.map(({ data }) => data),
  )
}

/** The notes report unknown fields that the encoding cannot write. */
export function encodeSignal(
  { signal, data }: SignalContent,
  encoding: SignalKind['encoding'],
  indent = 0,
): { readonly bytes: Uint8Array; readonly notes: readonly Note[] } {
  const notes = new NoteList()
  const what =
    encoding === 'json'
      ? 'fields of a newer version have no name in JSON and were dropped'
      : 'unknown members of JSON have no number in protobuf and were dropped'
  const onLostFields = (count: number): void => notes.add('unknown-fields', what, count)
  const codec = SIGNAL_CODECS[signal]
  const bytes =
    encoding === 'json' ? codec.encodeJson(data, { indent, onLostFields }) : codec.encode(data, { onLostFields })
  return { bytes, notes: notes.list() }
}

function joined(signal: SignalName, all: readonly SignalContent['data'][]): SignalContent {
  const list = SIGNAL_LISTS[signal]
  const resources = all.flatMap(data => (data as unknown as Record<string, readonly unknown[]>)[list])
  const unknown = all.flatMap(data => data.unknown ?? [])
  const marked = unknown.length === 0 ? {} : { unknown: joinBytes(unknown) }
  return { signal, data: { [list]: resources, ...marked } } as unknown as SignalContent
}

function inMessage({ format, offset, what, path }: FormatError, index: number): FormatError {
  return new FormatError(format, offset, what, path === '' ? `message[${index}]` : `message[${index}].${path}`)
}
