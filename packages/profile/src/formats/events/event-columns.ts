// Events as columns, between reading and conversion to profiles. All numbers are 64-bit integers. Times and durations are in
// nanoseconds.
import { GrowingInts } from '../../model/columns/growing-columns.ts'
import { int64 } from '../../model/columns/int64.ts'

/** type, stack, link, end of its attributes, whether it has a time. */
const ROW = 5

export class EventColumns {
  readonly rows = new GrowingInts()
  readonly attributes = new GrowingInts()
  readonly times = new GrowingInts()
  readonly durations = new GrowingInts()
  /** The value of each event. For an aggregate, the sum. */
  readonly totals = new GrowingInts()
  /** As in the file: 0 and 1 both mean one event. */
  readonly counts = new GrowingInts()

  get length(): number {
    return this.rows.length / ROW
  }

  /** Completes an event after its attributes and numbers were pushed. */
  push(type: number, stack: number, link: number, isTimed: boolean): void {
    this.rows.push(type)
    this.rows.push(stack)
    this.rows.push(link)
    this.rows.push(this.attributes.length)
    this.rows.push(isTimed ? 1 : 0)
  }

  type(i: number): number {
    return this.rows.array[i * ROW]
  }

  stack(i: number): number {
    return this.rows.array[i * ROW + 1]
  }

  link(i: number): number {
    return this.rows.array[i * ROW + 2]
  }

  attributesFrom(i: number): number {
    return i === 0 ? 0 : this.rows.array[i * ROW - 2]
  }

  attributesTo(i: number): number {
    return this.rows.array[i * ROW + 3]
  }

  isTimed(i: number): boolean {
    return this.rows.array[i * ROW + 4] === 1
  }
}

export function pushLong(column: GrowingInts, value: bigint): void {
  column.push(Number(BigInt.asIntN(32, value)))
  column.push(Number(BigInt.asIntN(32, value >> 32n)))
}

export function longAt(column: GrowingInts, i: number): bigint {
  return int64(column.array[2 * i], column.array[2 * i + 1])
}

export function isZeroAt(column: GrowingInts, i: number): boolean {
  return (column.array[2 * i] | column.array[2 * i + 1]) === 0
}
