// The content that Hearth adds to a profile of a speedscope file; see EXTRA_KEY.
import type { JsonReader } from '../../wire/json/json-reader.ts'
import { int64 } from '../../model/columns/int64.ts'
import { parseUnit } from '../../model/text/units.ts'
import { unscaledUnit } from '../recordings/scaled-number.ts'

export interface Extra {
  readonly type: string | undefined
  readonly unit: string | undefined
  /** Decimals in the unit, if one is given. */
  readonly places: number | undefined
  /** Whether the order of the samples has no meaning. */
  readonly aggregated: boolean
  /** The thread of the samples. */
  readonly id: bigint | undefined
  readonly name: string | undefined
}

export const NO_EXTRA: Extra = {
  type: undefined,
  unit: undefined,
  places: undefined,
  aggregated: false,
  id: undefined,
  name: undefined,
}

/** Unexpected content belongs to another tool and is ignored. */
export function readExtra(reader: JsonReader): Extra {
  let { type, unit, aggregated, id, name } = NO_EXTRA
  if (reader.peek() !== 'object') return NO_EXTRA
  reader.beginObject()
  for (let key = reader.nextKey(); key !== undefined; key = reader.nextKey()) {
    const kind = reader.peek()
    if (key === 'type' && kind === 'string') type = reader.string()
    else if (key === 'unit' && kind === 'string') unit = reader.string()
    else if (key === 'aggregated' && kind === 'boolean') aggregated = reader.boolean()
    else if (key === 'threadName' && kind === 'string') name = reader.string()
    else if (key === 'threadId' && kind === 'number') {
      reader.int64('signed')
      id = int64(reader.lo, reader.hi)
    }
  }
  const places = unit === undefined || parseUnit(unit).kind === 'time' ? undefined : unscaledUnit(unit).places
  return { type, unit, places, aggregated, id, name }
}
