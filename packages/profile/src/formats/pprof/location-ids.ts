// The ids of locations. They mean nothing but identity, and profilers count them by first use, so that is how they are
// written. A file that numbers them otherwise has its ids kept in an attribute, as varints in the order of first use, so
// that it comes back as it was.
import type { AnyValue } from '../../model/any-value.ts'
import { highHalf, lowHalf } from '../../model/int64.ts'
import { BackwardWriter } from '../../wire/backward-writer.ts'
import { ProtoReader } from '../../wire/proto-reader.ts'
import { WireError } from '../../wire/wire-error.ts'
import type { PprofColumns } from './columns.ts'
import { LOCATION_ROW, SAMPLE_ROW } from './columns.ts'

/** The ids to keep; undefined where they count up from 1 by first use. Rows stand in place of ids in the samples by now. */
export function locationIdList(columns: PprofColumns): Uint8Array | undefined {
  const { samples, locationIds, locations } = columns
  const last = samples.length === 0 ? 0 : samples.array[samples.length - SAMPLE_ROW]
  const seen = new Uint8Array(locations.length / LOCATION_ROW + 1)
  const ids: number[] = []
  for (let k = 0; k < last; k++) {
    const row = locationIds.array[k]
    if (seen[row] === 1) continue
    seen[row] = 1
    ids.push(locations.array[(row - 1) * LOCATION_ROW])
  }
  if (ids.every((id, i) => id === i + 1)) return undefined
  const writer = new BackwardWriter(ids.length * 3)
  for (const id of ids.toReversed()) {
    const whole = columns.wholeId(id)
    writer.reserve(10)
    writer.rawVarint64(lowHalf(whole), highHalf(whole))
  }
  return writer.finish()
}

export class LocationIds {
  /** Rows of locations. */
  readonly byFirstUse: number[] = []
  /** By row: 1 for the first used, 0 for those not used. */
  readonly #places: Int32Array
  /** Kept ids by place, where a file brought its own. */
  #kept: BigUint64Array | undefined

  constructor(locations: number) {
    this.#places = new Int32Array(locations)
  }

  use(row: number): void {
    if (this.#places[row] === 0) this.#places[row] = this.byFirstUse.push(row)
  }

  /** Takes ids over from an attribute, if there is just one for each location and no two are equal. */
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

  /** Rows by increasing id: the order of a table that is numbered by its ids. */
  inOrder(): number[] {
    const kept = this.#kept
    if (kept === undefined) return this.byFirstUse
    const idOf = (row: number): bigint => kept[this.#places[row] - 1]
    return this.byFirstUse.toSorted((a, b) => (idOf(a) < idOf(b) ? -1 : 1))
  }

  /** The id of a row, as a varint. The caller has reserved 10 bytes. */
  write(writer: BackwardWriter, row: number): void {
    const place = this.#places[row]
    if (this.#kept === undefined) writer.rawVarint32(place)
    else {
      const id = this.#kept[place - 1]
      writer.rawVarint64(lowHalf(id), highHalf(id))
    }
  }
}
