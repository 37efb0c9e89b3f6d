// Reads V8's description of a function: the members of `callFrame`, or in old files those of the node itself.
import type { StringIndex } from '../../model/columns/brand.ts'
import type { ProfilesBuilder } from '../../model/build/builder.ts'
import type { JsonReader } from '../../wire/json/json-reader.ts'
import type { CallFrame } from './node-table.ts'

export class CallFrameReader {
  readonly #reader: JsonReader
  readonly #builder: ProfilesBuilder
  readonly #zeroScript: StringIndex

  constructor(reader: JsonReader, builder: ProfilesBuilder) {
    this.#reader = reader
    this.#builder = builder
    this.#zeroScript = builder.string('0')
  }

  /** Reads the object that begins here. */
  object(frame: CallFrame): void {
    const reader = this.#reader
    reader.beginObject()
    for (let key = reader.nextKey(); key !== undefined; key = reader.nextKey()) this.member(key, frame)
  }

  member(key: string, frame: CallFrame): void {
    switch (key) {
      case 'functionName':
        frame.name = this.text()
        return
      case 'url':
        frame.url = this.text()
        return
      case 'scriptId': {
        const script = this.text()
        frame.script = script === this.#zeroScript ? (0 as StringIndex) : script
        return
      }
      case 'lineNumber':
        frame.line = this.#position()
        return
      case 'columnNumber':
        frame.column = this.#position()
    }
  }

  text(): StringIndex {
    const reader = this.#reader
    const kind = reader.peek()
    if (kind === 'number') return this.#builder.string(String(reader.number()))
    if (kind !== 'string') {
      reader.skip()
      return 0 as StringIndex
    }
    const { dictionary } = this.#builder
    const text = reader.stringBytes()
    return dictionary.string(text, 0, text.length)
  }

  #position(): number {
    const reader = this.#reader
    if (reader.peek() === 'number') return reader.number()
    reader.skip()
    return -1
  }
}

export function noFrame(): CallFrame {
  const none = 0 as StringIndex
  return { name: none, url: none, script: none, deopt: none, line: -1, column: -1 }
}
