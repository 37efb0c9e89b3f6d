// The frames of a speedscope file: one for each function call in a location, with the same names as everywhere. Stacks
// are written root first and kept as text, because many samples share one.
import type { LocationIndex, StackIndex } from '../../model/columns/brand.ts'
import { NONE } from '../../model/columns/brand.ts'
import type { Dictionary } from '../../model/columns/dictionary.ts'
import { frameName, UNKNOWN_NAME } from '../../model/text/frame-name.ts'
import type { JsonWriter } from '../../wire/json/json-writer.ts'
import type { NoteList } from '../format.ts'

interface Frame {
  readonly name: string
  readonly file: string
  readonly line: bigint
  readonly column: bigint
}

export class FrameList {
  readonly #dictionary: Dictionary
  readonly #frames: Frame[] = []
  readonly #rows = new Map<string, number>()
  /** The frames of a location, outermost first, as `3,4`. */
  readonly #locations = new Map<LocationIndex, string>()
  readonly #stacks = new Map<StackIndex, string>()

  constructor(dictionary: Dictionary) {
    this.#dictionary = dictionary
  }

  /**
   * Returns text like `[0,3,4]`. A stack without locations is one unknown frame, because an empty stack would be a gap.
   */
  stack(stack: StackIndex): string {
    let text = this.#stacks.get(stack)
    if (text === undefined) {
      const { stacks } = this.#dictionary
      const parts: string[] = []
      for (let k = stacks.to(stack) - 1; k >= stacks.from(stack); k--)
        parts.push(this.#location(stacks.locations.at(k)))
      if (parts.length === 0) parts.push(`${this.#frame({ name: UNKNOWN_NAME, file: '', line: 0n, column: 0n })}`)
      text = `[${parts.join(',')}]`
      this.#stacks.set(stack, text)
    }
    return text
  }

  writeTo(writer: JsonWriter): void {
    writer.beginArray()
    for (const { name, file, line, column } of this.#frames) {
      writer.beginObject()
      writer.key('name')
      writer.string(name)
      if (file !== '') {
        writer.key('file')
        writer.string(file)
      }
      if (line !== 0n) {
        writer.key('line')
        writer.raw(`${line}`)
      }
      if (column !== 0n) {
        writer.key('col')
        writer.raw(`${column}`)
      }
      writer.endObject()
    }
    writer.endArray()
  }

  countLosses(notes: NoteList): void {
    const { locations, functions, strings } = this.#dictionary
    const seen = new Set<number>()
    for (const location of this.#locations.keys()) {
      const from = locations.linesFrom(location)
      const to = locations.linesTo(location)
      const native = locations.address(location) !== 0n || locations.mapping(location) !== 0
      notes.add('addresses', 'addresses and mappings of frames', native ? 1 : 0)
      notes.add('location-attributes', 'attributes of frames', locations.attributesOf(location).length)
      notes.add('inlined', 'inlined calls are written like other calls', Math.max(0, to - from - 1))
      notes.add('unnamed-frames', 'frames without a function get a name from their other fields', from === to ? 1 : 0)
      for (let k = from; k < to; k++) seen.add(locations.lines.function(k))
    }
    for (const row of seen) {
      const index = row as ReturnType<typeof locations.lines.function>
      const lost = functions.startLine(index) !== 0n || strings.byteLength(functions.systemName(index)) > 0
      notes.add('function-fields', 'start lines and system names of functions', lost ? 1 : 0)
    }
    if (this.#stacks.has(0 as StackIndex)) notes.add('empty-stack', 'samples without a stack get a frame [unknown]')
  }

  #location(location: LocationIndex): string {
    let text = this.#locations.get(location)
    if (text === undefined) {
      const { locations, functions, strings } = this.#dictionary
      const from = locations.linesFrom(location)
      const to = locations.linesTo(location)
      const rows: number[] = []
      for (let k = to - 1; k >= from; k--) {
        rows.push(
          this.#frame({
            name: frameName(this.#dictionary, location, k),
            file: strings.text(functions.filename(locations.lines.function(k))),
            line: locations.lines.line(k),
            column: locations.lines.column(k),
          }),
        )
      }
      if (from === to) {
        rows.push(this.#frame({ name: frameName(this.#dictionary, location, NONE), file: '', line: 0n, column: 0n }))
      }
      text = rows.join(',')
      this.#locations.set(location, text)
    }
    return text
  }

  #frame(frame: Frame): number {
    const key = `${frame.name}\0${frame.file}\0${frame.line}\0${frame.column}`
    let row = this.#rows.get(key)
    if (row === undefined) {
      row = this.#frames.length
      this.#frames.push(frame)
      this.#rows.set(key, row)
    }
    return row
  }
}
