// Collects the strings, ids and payloads of a message. All ranges of the columns refer to these bytes. They are a small part
// of the JSON text and are copied, so that the text can be freed.
import { GrowingBytes } from '../../../model/columns/growing-columns.ts'
import type { JsonReader } from '../../../wire/json/json-reader.ts'
import type { ByteText } from '../byte-text.ts'
import { decodeInPlace, failAt } from '../byte-text.ts'

export class TextStore {
  readonly #bytes = new GrowingBytes(4096)
  /** The range that was added last. */
  offset = 0
  length = 0

  string(reader: JsonReader): void {
    this.#add(reader)
  }

  /** Reads a string of hex or base64 and stores its bytes. */
  encoded(reader: JsonReader, text: ByteText): void {
    const isPlain = this.#add(reader)
    const { offset } = this
    const length = decodeInPlace(this.#bytes.array, offset, offset + this.length, text)
    if (length < 0) {
      const at = -1 - length - offset
      failAt(reader, text, isPlain ? reader.from + at : reader.from, at === this.length)
    }
    this.length = length
    this.#bytes.length = offset + length
  }

  append(bytes: Uint8Array): void {
    this.offset = this.#bytes.append(bytes, 0, bytes.length)
    this.length = bytes.length
  }

  /** The stored bytes. The next addition may replace the array. */
  get array(): Uint8Array {
    return this.#bytes.array
  }

  /** Returns a copy of all bytes and empties the store. */
  finish(): Uint8Array {
    const bytes = this.#bytes.array.slice(0, this.#bytes.length)
    this.#bytes.length = 0
    return bytes
  }

  /** Returns whether the text is in the input unchanged, without escapes. */
  #add(reader: JsonReader): boolean {
    const isPlain = reader.stringRange()
    if (isPlain) {
      this.offset = this.#bytes.append(reader.bytes, reader.from, reader.to)
      this.length = reader.to - reader.from
    } else {
      // Reads the string again, now without the escapes.
      reader.offset = reader.from - 1
      this.append(reader.stringBytes())
    }
    return isPlain
  }
}
