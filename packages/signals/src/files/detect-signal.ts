// Recognises files of traces, logs and metrics.
//
// All signals start alike in protobuf: resources contain scopes, and scopes contain items. ProfilesData does too. The fields
// of an item distinguish them:
//
//   Span        7 or 8 is fixed64 (start and end)
//   LogRecord   1 or 11 is fixed64 (time and observed time), or 8 is fixed32 (flags)
//   Metric      1 is a name, and 5, 7, 9, 10 or 11 contains points (1) with a fixed64 field (times, value or count)
//   Profile     has none of these in any generation. Where a metric has its name, it has a type or a random id, and numbers
//               where a metric has points
import type { Codecs } from '@hearth/profile'
import { FormatError, JsonError, JsonReader, NoteList, framesOf, isUtf8 } from '@hearth/profile'
import { plainProfiles } from '../otlp/codecs.ts'
import type { Codec } from '../protobuf/codec.ts'
import { LEN, WireCursor, WireFault } from '../protobuf/wire-cursor.ts'
import type { SignalContent, SignalKind, SignalName } from './signal-content.ts'
import { SIGNAL_CODECS, SIGNAL_LISTS, SIGNAL_NAMES } from './signal-content.ts'
import { validateSignal } from './validate-signal.ts'

/** The number of bytes in which JSON must name its signal, and of items that are examined in protobuf. */
const HEAD_BYTES = 1 << 16
const MAX_ITEMS = 100
/** A profile may have a million samples. */
const MAX_FIELDS = 64
/** Larger messages without a typical field are not decoded to find out what they are. */
const MAX_TRIED_BYTES = 1 << 20

/** Returns undefined for anything else, profiles included, and for messages without items. Never throws. */
export function signalOf(bytes: Uint8Array, codecs?: Codecs): SignalKind | undefined {
  const [frame] = frameOrNone(bytes, codecs)
  if (frame === undefined || frame.length === 0) return undefined
  const named = namedSignal(frame.subarray(0, HEAD_BYTES))
  if (named !== undefined) return { signal: named, encoding: 'json' }
  const signal = typicalSignal(frame) ?? triedSignal(frame)
  return signal === undefined ? undefined : { signal, encoding: 'protobuf' }
}

function frameOrNone(bytes: Uint8Array, codecs: Codecs | undefined): readonly Uint8Array[] {
  try {
    const plain = new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length)
    // Errors become notes, so that the start of a truncated file is examined too.
    const frames = framesOf(plain, 'OTLP', { codecs, notes: new NoteList() })
    return frames.slice(0, 1).map(({ bytes: content, from, to }) => content.subarray(from, to))
  } catch {
    return []
  }
}

/** The signal whose list the first JSON object has. */
function namedSignal(head: Uint8Array): SignalName | undefined {
  const reader = new JsonReader(head)
  try {
    if (reader.peek() !== 'object') return undefined
    reader.beginObject()
    for (let key = reader.nextKey(); key !== undefined; key = reader.nextKey()) {
      const signal = SIGNAL_NAMES.find(name => SIGNAL_LISTS[name] === key)
      if (signal !== undefined && reader.peek() === 'array') return signal
    }
  } catch (error) {
    // The head may end anywhere.
    if (!(error instanceof JsonError)) throw error
  }
  return undefined
}

/** Field 1: a resource, the name of a metric, a point. */
const FIRST = (1 << 3) | LEN
/** Field 2: the scopes of a resource, the items of a scope. */
const CONTENT = (2 << 3) | LEN
/** Tags by field number and wire type: 1 is fixed64, 5 is fixed32. */
const SPAN_TIMES: ReadonlySet<number> = new Set([(7 << 3) | 1, (8 << 3) | 1])
const LOG_FIELDS: ReadonlySet<number> = new Set([(1 << 3) | 1, (11 << 3) | 1, (8 << 3) | 5])
const METRIC_KINDS: ReadonlySet<number> = new Set([5, 7, 9, 10, 11].map(field => (field << 3) | LEN))
/** The first ASCII character that is not a control character. */
const FIRST_PRINTABLE = 0x20
const POINT_FIELDS: ReadonlySet<number> = new Set([2, 3, 4, 6].map(field => (field << 3) | 1))

/** The signal of the first item that has a typical field. */
function typicalSignal(bytes: Uint8Array): SignalName | undefined {
  const cursor = new WireCursor(bytes, Infinity)
  let items = 0
  try {
    for (const resource of fieldsIn(cursor, 0, bytes.length)) {
      if (resource.tag !== FIRST) continue
      for (const scope of fieldsIn(cursor, resource.from, resource.to)) {
        if (scope.tag !== CONTENT) continue
        for (const item of fieldsIn(cursor, scope.from, scope.to)) {
          if (item.tag !== CONTENT) continue
          const signal = signalOfItem(bytes, cursor, item)
          if (signal !== undefined || ++items === MAX_ITEMS) return signal
        }
      }
    }
  } catch (error) {
    if (!(error instanceof WireFault)) throw error
  }
  return undefined
}

interface FoundField {
  readonly tag: number
  /** The content of a field with a length. */
  readonly from: number
  readonly to: number
}

/** The cursor may be moved while the fields are visited. */
function* fieldsIn(cursor: WireCursor, from: number, to: number): Generator<FoundField, void> {
  for (let next = from; next < to;) {
    cursor.pos = next
    const tag = cursor.tag(to)
    if ((tag & 7) === LEN) {
      const stop = cursor.lengthEnd(to)
      next = stop
      yield { tag, from: cursor.pos, to: stop }
    } else {
      cursor.skip(tag, to)
      next = cursor.pos
      yield { tag, from: next, to: next }
    }
  }
}

function signalOfItem(bytes: Uint8Array, cursor: WireCursor, { from, to }: FoundField): SignalName | undefined {
  let fields = 0
  let isNamed = false
  let signal: SignalName | undefined
  for (const field of fieldsIn(cursor, from, to)) {
    if (field.tag === FIRST) isNamed = isText(bytes, field)
    if (SPAN_TIMES.has(field.tag)) return 'traces'
    if (LOG_FIELDS.has(field.tag)) return 'logs'
    if (isNamed && METRIC_KINDS.has(field.tag) && hasPoints(cursor, field)) signal = 'metrics'
    if (++fields === MAX_FIELDS) break
  }
  return signal
}

function isText(bytes: Uint8Array, { from, to }: FoundField): boolean {
  return isUtf8(bytes, from, to) && bytes.subarray(from, to).every(byte => byte >= FIRST_PRINTABLE)
}

/** Whether all points can be read and one has a typical field. Some numbers look like the start of a point. */
function hasPoints(cursor: WireCursor, { from, to }: FoundField): boolean {
  let isTypical = false
  try {
    for (const point of fieldsIn(cursor, from, to)) {
      if (point.tag !== FIRST) continue
      for (const { tag } of fieldsIn(cursor, point.from, point.to)) isTypical ||= POINT_FIELDS.has(tag)
    }
  } catch (error) {
    // Text or numbers, not messages.
    if (!(error instanceof WireFault)) throw error
    return false
  }
  return isTypical
}

/** The only signal as which the message can be decoded without unknown fields, or else the only one without problems. */
function triedSignal(bytes: Uint8Array): SignalName | undefined {
  if (bytes.length > MAX_TRIED_BYTES || decoded(plainProfiles, bytes) !== undefined) return undefined
  const candidates = SIGNAL_NAMES.flatMap((signal): SignalContent[] => {
    const data = decoded(SIGNAL_CODECS[signal], bytes)
    return data === undefined || !hasItems(data) ? [] : [{ signal, data } as SignalContent]
  })
  const valid = candidates.filter(content => validateSignal(content, { encoding: 'protobuf' }).length === 0)
  const [only] = candidates.length === 1 ? candidates : valid
  return candidates.length === 1 || valid.length === 1 ? only.signal : undefined
}

function decoded<T>(codec: Codec<T>, bytes: Uint8Array): T | undefined {
  let isComplete = true
  try {
    const content = codec.decode(bytes, { onUnknownFields: () => (isComplete = false) })
    return isComplete ? content : undefined
  } catch (error) {
    if (error instanceof FormatError) return undefined
    throw error
  }
}

/** Whether a scope contains an item: lists three levels below the data. */
function hasItems(data: object, level = 0): boolean {
  return Object.values(data)
    .filter(Array.isArray)
    .some(list => (level === 2 ? list.length > 0 : list.some(each => hasItems(each as object, level + 1))))
}
