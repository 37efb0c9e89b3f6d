// Frames as events and `stackFrames` represent them: a name and, as Hermes writes it, a position in a file.
import type { LocationIndex } from '../../model/columns/brand.ts'
import type { Dictionary } from '../../model/columns/dictionary.ts'
import { addressName } from '../../model/text/frame-name.ts'
import type { JsonWriter } from '../../wire/json/json-writer.ts'

export interface PlainFrame {
  readonly name: string
  readonly url: string
  readonly line: bigint
  readonly column: bigint
  readonly functionLine: bigint
}

export class PlainFrames {
  readonly #dictionary: Dictionary
  readonly frames: PlainFrame[] = []
  readonly #rows = new Map<string, number>()
  readonly #locations: (Int32Array | undefined)[]
  addresses = 0
  attributes = 0
  /** Number of positions in a file without a name. */
  positions = 0

  constructor(dictionary: Dictionary) {
    this.#dictionary = dictionary
    this.#locations = new Array<Int32Array | undefined>(dictionary.locations.length)
  }

  /** Returns rows of `frames`, the outermost call first. */
  of(location: LocationIndex): Int32Array {
    return (this.#locations[location] ??= this.#make(location))
  }

  #make(location: LocationIndex): Int32Array {
    const dictionary = this.#dictionary
    const { strings, functions, locations } = dictionary
    if (locations.address(location) !== 0n || locations.mapping(location) !== 0) this.addresses++
    this.attributes += locations.attributesTo(location) - locations.attributesFrom(location)
    const from = locations.linesFrom(location)
    const to = locations.linesTo(location)
    if (from === to) {
      const name = addressName(dictionary, location)
      return Int32Array.of(this.#row({ name, url: '', line: 0n, column: 0n, functionLine: 0n }))
    }
    const rows = new Int32Array(to - from)
    for (let k = to - 1; k >= from; k--) {
      const row = locations.lines.function(k)
      const url = strings.text(functions.filename(row))
      const known = strings.text(functions.name(row)) || strings.text(functions.systemName(row))
      const line = locations.lines.line(k)
      const column = locations.lines.column(k)
      const functionLine = functions.startLine(row)
      if (url === '' && (line !== 0n || column !== 0n || functionLine !== 0n)) this.positions++
      rows[to - 1 - k] = this.#row({
        name: known || addressName(dictionary, location),
        url,
        line,
        column,
        functionLine,
      })
    }
    return rows
  }

  #row(frame: PlainFrame): number {
    const { name, url, line, column, functionLine } = frame
    const key = JSON.stringify([name, url, `${line}:${column}:${functionLine}`])
    let row = this.#rows.get(key)
    if (row === undefined) {
      row = this.frames.push(frame) - 1
      this.#rows.set(key, row)
    }
    return row
  }
}

/** Writes the members beside the name into an open object. */
export function writePosition(json: JsonWriter, { url, line, column, functionLine }: PlainFrame): void {
  if (url === '') return
  json.key('url')
  json.string(url)
  if (line > 0n) writeWhole(json, 'line', line)
  if (column > 0n) writeWhole(json, 'column', column)
  if (functionLine > 0n) writeWhole(json, 'funcLine', functionLine)
}

function writeWhole(json: JsonWriter, key: string, value: bigint): void {
  json.key(key)
  json.raw(String(value))
}
