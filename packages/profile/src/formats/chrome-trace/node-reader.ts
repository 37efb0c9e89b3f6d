// Reads the nodes of a V8 call tree: those of a ProfileChunk name their parent, those of a CpuProfile their children.
import type { StringIndex } from '../../model/brand.ts'
import type { ProfilesBuilder } from '../../model/builder.ts'
import type { JsonReader } from '../../wire/json-reader.ts'
import type { CallFrame, NodeTable } from './node-table.ts'

export class NodeReader {
  #reader: JsonReader
  readonly #builder: ProfilesBuilder
  readonly #zeroScript: StringIndex

  constructor(reader: JsonReader, builder: ProfilesBuilder) {
    this.#reader = reader
    this.#builder = builder
    this.#zeroScript = builder.string('0')
  }

  list(reader: JsonReader, nodes: NodeTable): void {
    this.#reader = reader
    reader.beginArray()
    while (reader.nextItem()) this.#node(nodes)
  }

  #node(nodes: NodeTable): void {
    const reader = this.#reader
    const row = nodes.open()
    const frame = noFrame()
    reader.beginObject()
    for (let key = reader.nextKey(); key !== undefined; key = reader.nextKey()) {
      if (key === 'id') {
        const id = reader.number()
        if (!nodes.setId(row, id)) reader.fail(`two nodes have the id ${id}`)
      } else if (key === 'callFrame' && reader.peek() === 'object') {
        reader.beginObject()
        for (let name = reader.nextKey(); name !== undefined; name = reader.nextKey()) this.#frameMember(name, frame)
      } else if (key === 'parent') {
        if (reader.peek() === 'number') nodes.setParent(row, reader.number())
      } else if (key === 'children' && reader.peek() === 'array') {
        reader.beginArray()
        while (reader.nextItem()) nodes.addChild(row, reader.number())
      } else if (key === 'deoptReason') frame.deopt = this.#text()
    }
    nodes.setFrame(row, frame)
  }

  #frameMember(key: string, frame: CallFrame): void {
    switch (key) {
      case 'functionName':
        frame.name = this.#text()
        return
      case 'url':
        frame.url = this.#text()
        return
      case 'scriptId': {
        const script = this.#text()
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

  #text(): StringIndex {
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

function noFrame(): CallFrame {
  const none = 0 as StringIndex
  return { name: none, url: none, script: none, deopt: none, line: -1, column: -1 }
}
