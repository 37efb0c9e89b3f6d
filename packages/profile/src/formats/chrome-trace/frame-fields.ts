// The frame of an event or of an entry of `stackFrames`: a name and, in Hermes' traces, a position in a file.
import type { LocationIndex, StringIndex } from '../../model/columns/brand.ts'
import type { ProfilesBuilder } from '../../model/build/builder.ts'
import type { JsonReader } from '../../wire/json/json-reader.ts'

const NO_ATTRIBUTES = new Int32Array(0)

export class FrameFields {
  readonly #builder: ProfilesBuilder
  name = 0 as StringIndex
  parent: string | undefined
  #url = 0 as StringIndex
  #line = 0
  #column = 0
  #functionLine = 0
  readonly #run = new Int32Array(5)

  constructor(builder: ProfilesBuilder) {
    this.#builder = builder
  }

  clear(name: StringIndex): void {
    this.name = name
    this.parent = undefined
    this.#url = 0 as StringIndex
    this.#line = this.#column = this.#functionLine = 0
  }

  readObject(reader: JsonReader): void {
    reader.beginObject()
    for (let key = reader.nextKey(); key !== undefined; key = reader.nextKey()) this.readMember(key, reader)
  }

  readMember(key: string, reader: JsonReader): void {
    switch (key) {
      case 'url':
        if (reader.peek() === 'string') this.#url = this.text(reader)
        return
      case 'line':
        this.#line = position(reader)
        return
      case 'column':
        this.#column = position(reader)
        return
      case 'funcLine':
        this.#functionLine = position(reader)
    }
  }

  text(reader: JsonReader): StringIndex {
    const text = reader.stringBytes()
    return this.#builder.dictionary.string(text, 0, text.length)
  }

  /** Positions count from 1 and need a file, because other events have a `line` with another meaning. */
  location(): LocationIndex {
    const { dictionary } = this.#builder
    const isPlaced = this.#url !== 0
    const run = this.#run
    run[0] = dictionary.function(this.name, 0 as StringIndex, this.#url, isPlaced ? this.#functionLine : 0, 0)
    run[1] = isPlaced ? this.#line : 0
    run[3] = isPlaced ? this.#column : 0
    return dictionary.location(0 as never, 0, 0, run, 1, NO_ATTRIBUTES, 0)
  }
}

function position(reader: JsonReader): number {
  const kind = reader.peek()
  const value = kind === 'number' ? reader.number() : kind === 'string' ? Number(reader.string()) : 0
  return value > 0 && value < 0x7fff_ffff ? Math.floor(value) : 0
}
