// Finds the columns of a response by name and checks their type and length.
import type { Column, ColumnFile } from '@hearth/profile'
import { TextColumn, WireError } from '@hearth/profile'

/** The columns below a path. All have the same length. */
export class ColumnReader {
  readonly #columns: ColumnFile['columns']
  readonly #path: string
  #length: number | undefined

  constructor(columns: ColumnFile['columns'], path: string) {
    this.#columns = columns
    this.#path = path
  }

  column<Array extends Column>(name: string, type: abstract new (...given: never) => Array): Array {
    const column = this.optional(name, type)
    if (column === undefined) throw new WireError(0, `there is no column ${this.#name(name)}`)
    return column
  }

  optional<Array extends Column>(name: string, type: abstract new (...given: never) => Array): Array | undefined {
    const column = this.#columns.get(this.#name(name))
    if (column === undefined) return undefined
    if (!(column instanceof type)) throw new WireError(0, `the column ${this.#name(name)} has another type`)
    this.#length ??= column.length
    if (column.length !== this.#length) throw new WireError(0, `the column ${this.#name(name)} has another length`)
    return column
  }

  strings(): TextColumn {
    const strings = this.#columns.get('strings')
    if (strings instanceof TextColumn) return strings
    throw new WireError(0, 'there is no column strings')
  }

  #name(name: string): string {
    return this.#path === '' ? name : `${this.#path}.${name}`
  }
}
