// Encodes and decodes a message type. Broken input is a FormatError with the format, the byte and the field.
import { BackwardWriter, FormatError, JsonError, JsonWriter } from '@hearth/profile'
import { JsonCursor } from './json-cursor.ts'
import type { Message } from './field.ts'
import type { DecodeOptions } from './wire-cursor.ts'
import { WireCursor, WireFault, memoryLimitOf } from './wire-cursor.ts'

export type { DecodeOptions }

export interface Codec<T> {
  /** Ids and bytes in the result are views of `bytes`, which must not change while they are used. */
  readonly decode: (bytes: Uint8Array, options?: DecodeOptions) => T
  readonly decodeJson: (bytes: Uint8Array, options?: DecodeOptions) => T
  /** Decodes JSON objects one after another, such as lines. Yields them until one is broken. */
  readonly decodeJsonObjects: (bytes: Uint8Array, options?: DecodeOptions) => Generator<T, void>
  readonly encode: (content: T) => Uint8Array
  /** `indent` is the number of spaces; default: one line. */
  readonly encodeJson: (content: T, options?: { readonly indent?: number }) => Uint8Array
}

/** Errors start with `format`. */
export function codecOf<T>(message: Message<T>, format: string): Codec<T> {
  return {
    decode: (bytes, options = {}) => decode(message, format, bytes, options),
    decodeJson: (bytes, options = {}) => decodeJson(message, format, bytes, options),
    decodeJsonObjects: (bytes, options = {}) => decodeJsonObjects(message, format, bytes, options),
    encode: content => {
      const writer = new BackwardWriter(4096)
      message.write(writer, content)
      return writer.finish()
    },
    encodeJson: (content, options = {}) => {
      const writer = new JsonWriter(options)
      message.writeJson(writer, content)
      return writer.finish()
    },
  }
}

function decode<T>(message: Message<T>, format: string, bytes: Uint8Array, options: DecodeOptions): T {
  // Node's Buffer is another class, and the engine would compile every loop for both.
  const plain = new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length)
  const cursor = new WireCursor(plain, memoryLimitOf(plain.length, options))
  try {
    const content = message.read(cursor, plain.length, undefined)
    if (cursor.unknownFields > 0) options.onUnknownFields?.(cursor.unknownFields)
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
  if (cursor.unknownFields > 0) options.onUnknownFields?.(cursor.unknownFields)
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
    const before = cursor.unknownFields
    const content = jsonContent(message, format, cursor, () => {})
    if (cursor.unknownFields > before) options.onUnknownFields?.(cursor.unknownFields - before)
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
