// Small tables and requests for tests of the commit queue. A request's `client` is its name and determines its rows.
import type { GroupRows, RowContext } from '../../group-rows.ts'
import type { ReceivedRequest } from '../../keeper.ts'
import { arrayOf, defineTable, text, uint32 } from '../../native/table.ts'

const layout = { engine: 'merge', orderBy: 'name', shardBy: 'name' } as const
const symbols = defineTable('symbols', { name: text(), numbers: arrayOf(uint32()) }, layout)
const requests = defineTable('requests', { name: text(), number: uint32() }, layout)
const items = defineTable('items', { name: text(), number: uint32() }, layout)

/** In order of insertion. */
export const tables = [symbols, requests, items]

/** Writes a request row and an item, and a symbol for each new letter. Names with `!` throw in the middle of a row. */
export class TestWriter {
  readonly announced = new Set<string>()
  forgotten = 0
  /** Appended to each item's name. */
  padding = ''

  readonly write = (rows: GroupRows, _context: RowContext, request: ReceivedRequest): void => {
    const name = request.client
    if (!this.announced.has(name[0])) {
      this.announced.add(name[0])
      const batch = rows.batch(symbols)
      batch.columns.name.push(name[0])
      batch.columns.numbers.values.push(1)
      batch.columns.numbers.endRow()
    }
    const requestRows = rows.batch(requests)
    requestRows.columns.name.push(name)
    if (name.includes('!')) throw new TypeError(`${name} cannot be written`)
    requestRows.columns.number.push(1)
    const batch = rows.batch(items)
    batch.columns.name.push(name + this.padding)
    if (!name.includes('?')) batch.columns.number.push(2)
  }

  readonly forget = (): void => {
    this.forgotten++
    this.announced.clear()
  }
}

export function requestOf(name: string, tenant = 'home', bytes = 10): ReceivedRequest {
  const id = new Uint8Array(16)
  new TextEncoder().encodeInto(name, id)
  return {
    tenant,
    client: name,
    id,
    bytes,
    generation: '',
    rejected: 0,
    payload: { signal: 'logs', logs: undefined as never },
  }
}

/** The first column of a Native block with texts shorter than 128 bytes. */
export function namesIn(block: Uint8Array): readonly string[] {
  let at = 0
  const number = () => {
    let value = 0
    for (let shift = 0; ; shift += 7) {
      const byte = block[at++]
      value |= (byte & 127) << shift
      if (byte < 128) return value
    }
  }
  const string = () => {
    const length = number()
    at += length
    return Buffer.from(block.subarray(at - length, at)).toString()
  }
  number()
  const rows = number()
  string()
  string()
  return Array.from({ length: rows }, string)
}
