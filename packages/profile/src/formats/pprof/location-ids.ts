// Location ids. They only express identity, and profilers count them by first use, so the writer does the same. For a file with
// other ids, the reader stores them in an attribute as varints in order of first use, so that the file round-trips.
import type { AnyValue } from '../../model/columns/any-value.ts'
import { highHalf, lowHalf } from '../../model/columns/int64.ts'
import { BackwardWriter } from '../../wire/protobuf/backward-writer.ts'
import { ProtoReader } from '../../wire/protobuf/proto-reader.ts'
import { WireError } from '../../wire/wire-error.ts'
import type { PprofColumns } from './columns.ts'

/** Rows of locations in order of first use by samples. If `rows` is undefined, they are 1 to `length`. */
export interface FirstUses {
  readonly rows: Int32Array | undefined
  readonly length: number
}

/** Call after the stacks have been converted from ids to rows. */
export function firstUses({ draft, locationIds }: PprofColumns): FirstUses {
  const { array, length } = draft.stackLocations
  const seen = new Uint8Array(locationIds.length + 1)
  const rows = new Int32Array(locationIds.length)
  let found = 0
  for (let k = 0; k < length; k++) {
    const row = array[k]
    if (seen[row] === 1) continue
    seen[row] = 1
    rows[found++] = row
  }
  return { rows, length: found }
}

/** Returns the ids to store, or undefined if they count up from 1 by first use. */
export function locationIdList(columns: PprofColumns, { rows, length }: FirstUses): Uint8Array | undefined {
  if (rows === undefined) return undefined
  const ids = columns.locationIds.array
  let inOrder = true
  for (let i = 0; i < length; i++) if (ids[rows[i] - 1] !== i + 1) inOrder = false
  if (inOrder) return undefined
  const writer = new BackwardWriter(length * 4 + 16)
  for (let i = length - 1; i >= 0; i--) {
    const id = ids[rows[i] - 1]
    writer.reserve(16)
    if (id >= 0) writer.rawVarint32(id)
    else {
      const whole = columns.wholeId(id)
      writer.rawVarint64(lowHalf(whole), highHalf(whole))
    }
  }
  return writer.finish()
}

export class LocationIds {
  /** Rows of locations. */
  readonly byFirstUse: number[] = []
  /** Position by row: 1 for the first used location, 0 for unused ones. */
  readonly #places: Int32Array
  /** The file's original ids by position, if it had its own. */
  #kept: BigUint64Array | undefined

  constructor(locations: number) {
    this.#places = new Int32Array(locations)
  }

  use(row: number): void {
    if (this.#places[row] === 0) this.#places[row] = this.byFirstUse.push(row)
  }

  /** Restores ids from an attribute if it has exactly one for each location and all are different. */
  restore(value: AnyValue): void {
    if (!(value instanceof Uint8Array)) return
    const reader = new ProtoReader(value)
    const ids: bigint[] = []
    try {
      while (reader.pos < reader.end) ids.push(reader.uint64())
    } catch (error) {
      if (error instanceof WireError) return
      throw error
    }
    if (ids.length === this.byFirstUse.length && new Set(ids).size === ids.length && !ids.includes(0n)) {
      this.#kept = BigUint64Array.from(ids)
    }
  }

  /** Rows sorted by id, which is the order of the file's table. */
  inOrder(): number[] {
    const kept = this.#kept
    if (kept === undefined) return this.byFirstUse
    const idOf = (row: number): bigint => kept[this.#places[row] - 1]
    return this.byFirstUse.toSorted((a, b) => (idOf(a) < idOf(b) ? -1 : 1))
  }

  /** Writes the id of a row as a varint. The caller has reserved 10 bytes. */
  write(writer: BackwardWriter, row: number): void {
    const place = this.#places[row]
    if (this.#kept === undefined) writer.rawVarint32(place)
    else {
      const id = this.#kept[place - 1]
      writer.rawVarint64(lowHalf(id), highHalf(id))
    }
  }
}
