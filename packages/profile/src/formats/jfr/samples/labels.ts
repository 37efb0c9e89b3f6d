// Reads the labels snapshot that Pyroscope's agent sends with a recording, as a protobuf message:
//
//   LabelsSnapshot { 1 contexts: map<int64, Context>, 2 strings: map<int64, string> }
//   Context        { 1 labels: map<int64, int64> }    key and value are string numbers
//
// Events have the number of their context.
import type { AttributeIndex } from '../../../model/columns/brand.ts'
import type { ProfilesBuilder } from '../../../model/build/builder.ts'
import { decodeUtf8 } from '../../../wire/utf8.ts'
import { LEN, ProtoReader, VARINT } from '../../../wire/protobuf/proto-reader.ts'
import { WireError } from '../../../wire/wire-error.ts'
import { FormatError } from '../../format.ts'
import { JFR } from '../encoding/cursor.ts'

export class LabelsSnapshot {
  readonly #strings: ReadonlyMap<bigint, string>
  readonly #contexts: ReadonlyMap<bigint, readonly (readonly [bigint, bigint])[]>

  private constructor(
    strings: ReadonlyMap<bigint, string>,
    contexts: ReadonlyMap<bigint, readonly (readonly [bigint, bigint])[]>,
  ) {
    this.#strings = strings
    this.#contexts = contexts
  }

  static read(message: Uint8Array): LabelsSnapshot {
    try {
      return decode(message, (strings, contexts) => new LabelsSnapshot(strings, contexts))
    } catch (error) {
      if (error instanceof WireError) throw new FormatError(JFR, error.offset, error.what, 'labels')
      throw error
    }
  }

  string(number: bigint): string | undefined {
    return this.#strings.get(number)
  }

  /** The labels of a context; undefined if there is no such context. */
  context(number: bigint): ReadonlyMap<string, string> | undefined {
    const pairs = this.#contexts.get(number)
    if (pairs === undefined) return undefined
    const texts = pairs.map(([key, value]) => [this.#strings.get(key) ?? '', this.#strings.get(value) ?? ''] as const)
    return new Map(texts.filter(([key]) => key !== ''))
  }
}

/** Attribute names that samples already have. Names must be unique within a sample. */
const RESERVED = /^(?:jfr|thread)\.|^(?:local_root_)?span_id$|^span_name$/

export function labelAttributes(builder: ProfilesBuilder, labels: ReadonlyMap<string, string>): AttributeIndex[] {
  return Array.from(labels, ([key, value]) => builder.attribute(RESERVED.test(key) ? `label.${key}` : key, value))
}

type Pairs = (readonly [bigint, bigint])[]

function decode<Result>(
  message: Uint8Array,
  done: (strings: Map<bigint, string>, contexts: Map<bigint, Pairs>) => Result,
): Result {
  const strings = new Map<bigint, string>()
  const contexts = new Map<bigint, Pairs>()
  const reader = new ProtoReader(message)
  while (reader.tag()) {
    if (reader.wireType !== LEN || reader.field > 2) {
      reader.skip()
      continue
    }
    const { field } = reader
    const { key, from, to } = entry(reader)
    if (field === 1) contexts.set(key, context(message, from, to))
    else strings.set(key, decodeUtf8(message, from, to))
  }
  return done(strings, contexts)
}

/** Reads a map entry with a length-delimited value. Returns the key and the range of the value. */
function entry(reader: ProtoReader): { key: bigint; from: number; to: number } {
  const inner = nested(reader)
  let key = 0n
  let from = 0
  let to = 0
  while (inner.tag()) {
    if (inner.field === 1 && inner.wireType === VARINT) key = inner.int64()
    else if (inner.field === 2 && inner.wireType === LEN) {
      const length = inner.length()
      from = inner.pos
      to = from + length
      inner.pos = to
    } else inner.skip()
  }
  return { key, from, to }
}

function context(message: Uint8Array, from: number, to: number): Pairs {
  const pairs: Pairs = []
  const reader = new ProtoReader(message, from, to)
  while (reader.tag()) {
    if (reader.field !== 1 || reader.wireType !== LEN) {
      reader.skip()
      continue
    }
    const inner = nested(reader)
    let key = 0n
    let value = 0n
    while (inner.tag()) {
      if (inner.field === 1 && inner.wireType === VARINT) key = inner.int64()
      else if (inner.field === 2 && inner.wireType === VARINT) value = inner.int64()
      else inner.skip()
    }
    pairs.push([key, value])
  }
  return pairs
}

function nested(reader: ProtoReader): ProtoReader {
  const length = reader.length()
  reader.pos += length
  return new ProtoReader(reader.bytes, reader.pos - length, reader.pos)
}
