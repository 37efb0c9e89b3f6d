// Encodes and decodes a message type. Broken input is a FormatError with the format, the byte and the field.
import { BackwardWriter, FormatError, JsonError, JsonWriter } from '@hearth/profile'
import { JsonCursor } from './json-cursor.ts'
import type { Message } from './field.ts'
import type { DecodeOptions, UnknownCounts } from './wire-cursor.ts'
import { WireCursor, WireFault, memoryLimitOf } from './wire-cursor.ts'
import { countingLost, withMembers } from './write-unknown.ts'

export type { DecodeOptions, UnknownCounts }

export interface Codec<T> {
  /** Ids and bytes in the result are views of `bytes`, which must not change while they are used. */
  readonly decode: (bytes: Uint8Array, options?: DecodeOptions) => T
  readonly decodeJson: (bytes: Uint8Array, options?: DecodeOptions) => T
  /** Decodes JSON objects one after another, such as lines. Yields them until one is broken. */
  readonly decodeJsonObjects: (bytes: Uint8Array, options?: DecodeOptions) => Generator<T, void>
  readonly encode: (content: T, options?: EncodeOptions) => Uint8Array
  /** `indent` is the number of spaces; default: one line. */
  readonly encodeJson: (content: T, options?: EncodeOptions & { readonly indent?: number }) => Uint8Array
}

export interface EncodeOptions {
  /** Called with the number of unknown fields that this encoding cannot write, if there are any. */
  readonly onLostFields?: ((count: number) => void) | undefined
}

/** Errors start with `format`. */
export function codecOf<T>(message: Message<T>, format: string): Codec<T> {
  return {
    decode: (bytes, options = {}) => decode(message, format, bytes, options),
    decodeJson: (bytes, options = {}) => decodeJson(message, format, bytes, options),
    decodeJsonObjects: (bytes, options = {}) => decodeJsonObjects(message, format, bytes, options),
    encode: (content, options = {}) => {
      const writer = new BackwardWriter(4096)
      reportLost(options, () => message.write(writer, content))
      return writer.finish()
    },
    encodeJson: (content, options = {}) => {
      const writer = new JsonWriter(options)
      reportLost(options, () => message.writeJson(writer, content))
      return writer.finish()
    },
  }
}

function reportLost({ onLostFields }: EncodeOptions, write: () => void): void {
  const lost = countingLost(write)
  if (lost > 0) onLostFields?.(lost)
}

/** Encodes a message with all unknown fields, members of JSON included. Only `decode` of this package understands those. */
export function encodeWithMembers<T>(message: Message<T>, content: T): Uint8Array {
  const writer = new BackwardWriter(1024)
  withMembers(() => message.write(writer, content))
  return writer.finish()
}

function reportUnknown({ onUnknownFields }: DecodeOptions, kept: number, dropped: number): void {
  if (kept + dropped > 0) onUnknownFields?.({ kept, dropped })
}

function decode<T>(message: Message<T>, format: string, bytes: Uint8Array, options: DecodeOptions): T {
  // Node's Buffer is another class, and the engine would compile every loop for both.
  const plain = new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length)
  const cursor = new WireCursor(plain, memoryLimitOf(plain.length, options))
  try {
    const content = message.read(cursor, plain.length, undefined)
    cursor.finish()
    reportUnknown(options, cursor.keptFields, cursor.droppedFields)
    return content
  } catch (error) {
    throw error instanceof WireFault ? error.inFormat(format) : error
  }
}

function decodeJson<T>(message: Message<T>, format: string, bytes: Uint8Array, options: DecodeOptions): T {
  const cursor = new JsonCursor(bytes, format, memoryLimitOf(bytes.length, options))
  const content = jsonContent(message, format, cursor, () => {
    if (cursor.peek() !== 'end') cursor.fail('more after the end of the message')
  })
  cursor.finish()
  reportUnknown(options, cursor.keptFields, cursor.droppedFields)
  return content
}

function* decodeJsonObjects<T>(
  message: Message<T>,
  format: string,
  bytes: Uint8Array,
  options: DecodeOptions,
): Generator<T, void> {
  const cursor = new JsonCursor(bytes, format, memoryLimitOf(bytes.length, options))
  while (cursor.peek() !== 'end') {
    const { keptFields, droppedFields } = cursor
    const content = jsonContent(message, format, cursor, () => {})
    cursor.finish()
    reportUnknown(options, cursor.keptFields - keptFields, cursor.droppedFields - droppedFields)
    yield content
  }
}

/** Throws FormatError. */
function jsonContent<T>(message: Message<T>, format: string, cursor: JsonCursor, checkEnd: () => void): T {
  try {
    const content = message.readJson(cursor)
    checkEnd()
    return content
  } catch (error) {
    if (!(error instanceof JsonError)) throw error
    const { offset, line, column, what, path } = error
    throw new FormatError(format, offset, `${what} (line ${line}, column ${column})`, path)
  }
}
