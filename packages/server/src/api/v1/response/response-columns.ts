// Responses before they are sent: plain values with columns among them. Columns are written as JSON in pieces, or sent as
// typed arrays.
import type { Column, ColumnFile, FrameRow, FrameTable } from '@hearth/profile'
import { TextColumn, exactSum, frameColumns, frameRow, framesOfRows } from '@hearth/profile'

/** A long list within a response. */
export abstract class ResponseColumn {
  abstract readonly length: number
  /** Number of entries per piece of about 10 KB. */
  abstract readonly step: number
  /** The entries of [from, to) with commas between them. */
  abstract json(from: number, to: number): string
  /** Adds its columns, named by the path. */
  abstract addTo(sink: ColumnSink, path: string): void
}

/** A response whose schema is T. Lists may be columns. */
export type Serialized<T> = T extends readonly unknown[]
  ? T | ResponseColumn
  : T extends object
    ? { readonly [Key in keyof T]: Serialized<T[Key]> }
    : T

/** Numbers in JSON. */
export class NumberColumn extends ResponseColumn {
  readonly length: number
  readonly step = 4096
  readonly #values: Uint8Array | Int32Array | Uint32Array | Float64Array

  /** All numbers are finite. */
  constructor(values: Uint8Array | Int32Array | Uint32Array | Float64Array) {
    super()
    this.length = values.length
    this.#values = values
  }

  json(from: number, to: number): string {
    return this.#values.subarray(from, to).join()
  }

  addTo(sink: ColumnSink, path: string): void {
    sink.add(path, this.#values)
  }
}

/** A NumberColumn of 64 bits, which JSON has as strings. */
export class Int64Column extends ResponseColumn {
  readonly length: number
  readonly step = 2048
  readonly #values: BigInt64Array

  constructor(values: BigInt64Array) {
    super()
    this.length = values.length
    this.#values = values
  }

  json(from: number, to: number): string {
    return quoted(this.#values.subarray(from, to))
  }

  addTo(sink: ColumnSink, path: string): void {
    sink.add(path, this.#values)
  }
}

/** Doubles. If they are not exact, `pathExact` has the remainders modulo 2^64. */
export class SumColumn extends ResponseColumn {
  readonly length: number
  readonly step = 2048
  readonly #near: Float64Array
  readonly #exact: BigInt64Array | undefined

  constructor(near: Float64Array, exact: BigInt64Array | undefined) {
    super()
    this.length = near.length
    this.#near = near
    this.#exact = exact
  }

  json(from: number, to: number): string {
    const near = this.#near.subarray(from, to)
    const exact = this.#exact?.subarray(from, to)
    return quoted(exact === undefined ? near : Array.from(exact, (value, i) => exactSum(near[i], value)))
  }

  addTo(sink: ColumnSink, path: string): void {
    sink.add(path, this.#near)
    if (this.#exact !== undefined) sink.add(`${path}Exact`, this.#exact)
  }
}

function quoted(values: { readonly length: number; join(separator: string): string }): string {
  return values.length === 0 ? '' : `"${values.join('","')}"`
}

/** Texts are rows of the column `strings`. 0 is the empty text. */
export class FrameColumn extends ResponseColumn {
  readonly length: number
  readonly step = 128
  readonly #frames: FrameTable

  constructor(frames: FrameTable) {
    super()
    this.length = frames.length
    this.#frames = frames
  }

  json(from: number, to: number): string {
    const rows = Array.from({ length: to - from }, (_, i) => frameRow(this.#frames, from + i))
    return JSON.stringify(rows).slice(1, -1)
  }

  addTo(sink: ColumnSink, path: string): void {
    for (const [name, column] of Object.entries(frameColumns(this.#frames, text => sink.string(text)))) {
      sink.add(`${path}.${name}`, column as Column)
    }
  }
}

/** A frame without its empty fields. */
export function frameJson(frame: FrameRow): FrameRow {
  return frameRow(framesOfRows([frame]), 0)
}

/** Columns of the same length, which JSON shows row by row. */
export class RowColumn extends ResponseColumn {
  readonly length: number
  readonly step = 128
  readonly #columns: readonly (readonly [name: string, column: ResponseColumn])[]

  constructor(length: number, columns: Readonly<Record<string, ResponseColumn>>) {
    super()
    this.length = length
    this.#columns = Object.entries(columns)
  }

  json(from: number, to: number): string {
    const rows: string[] = []
    for (let i = from; i < to; i++) {
      rows.push(`{${this.#columns.map(([name, column]) => `"${name}":${column.json(i, i + 1)}`).join()}}`)
    }
    return rows.join()
  }

  addTo(sink: ColumnSink, path: string): void {
    for (const [name, column] of this.#columns) column.addTo(sink, `${path}.${name}`)
  }
}

const PIECE = 65_536
const PLAIN_STEP = 64

/** Yields pieces of about 64 KB, so that a tree of a million nodes is never one string. */
export function* jsonPieces(response: object): Generator<string> {
  let text = ''
  for (const part of parts(response)) {
    text += part
    if (text.length < PIECE) continue
    yield text
    text = ''
  }
  if (text !== '') yield text
}

function* parts(value: unknown): Generator<string> {
  if (value instanceof ResponseColumn) yield* list(value.length, value.step, (from, to) => value.json(from, to))
  else if (Array.isArray(value)) {
    const rows: readonly unknown[] = value
    if (hasLists(rows[0])) {
      for (let i = 0; i < rows.length; i++) {
        yield i === 0 ? '[' : ','
        yield* parts(rows[i])
      }
      yield ']'
    } else yield* list(rows.length, PLAIN_STEP, (from, to) => JSON.stringify(rows.slice(from, to)).slice(1, -1))
  } else if (typeof value !== 'object' || value === null) yield JSON.stringify(value)
  else {
    let before = '{'
    for (const [key, each] of Object.entries(value)) {
      if (each === undefined) continue
      yield `${before}${JSON.stringify(key)}:`
      yield* parts(each)
      before = ','
    }
    yield before === '{' ? '{}' : '}'
  }
}

/** Groups of a series, each with its points. */
function hasLists(row: unknown): boolean {
  return typeof row === 'object' && row !== null && Object.values(row).some(Array.isArray)
}

function* list(length: number, step: number, json: (from: number, to: number) => string): Generator<string> {
  yield '['
  for (let from = 0; from < length; from += step) {
    yield `${from === 0 ? '' : ','}${json(from, Math.min(from + step, length))}`
  }
  yield ']'
}

/** Collects columns and the texts they refer to. */
export class ColumnSink {
  readonly columns = new Map<string, Column>()
  readonly #numbers = new Map([['', 0]])

  add(name: string, column: Column): void {
    this.columns.set(name, column)
  }

  /** The row of the text in the column `strings`. */
  string(text: string): number {
    const known = this.#numbers.get(text)
    if (known !== undefined) return known
    const number = this.#numbers.size
    this.#numbers.set(text, number)
    return number
  }

  finish(): ReadonlyMap<string, Column> {
    if (this.columns.size > 0) this.columns.set('strings', TextColumn.of([...this.#numbers.keys()]))
    return this.columns
  }
}

/** Leaves plain values in place. Columns are named by their paths, such as `nodes.parent`. */
export function columnsOf(response: object): ColumnFile {
  const sink = new ColumnSink()
  const fields = plainOf(response, '', sink)
  return { fields, columns: sink.finish() }
}

function plainOf(value: unknown, path: string, sink: ColumnSink): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const plain: Record<string, unknown> = {}
  for (const [key, each] of Object.entries(value)) {
    const inner = path === '' ? key : `${path}.${key}`
    if (each instanceof ResponseColumn) each.addTo(sink, inner)
    else plain[key] = plainOf(each, inner, sink)
  }
  return plain
}
