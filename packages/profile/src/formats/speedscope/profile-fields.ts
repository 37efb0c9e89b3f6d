// The fields of one profile of a speedscope file. Lists are represented by their offsets.
import type { JsonReader } from '../../wire/json/json-reader.ts'
import type { Extra } from './extra.ts'
import { NO_EXTRA, readExtra } from './extra.ts'
import { EXTRA_KEY } from './names.ts'

export const NONE_YET = -1

export interface ProfileFields {
  name: string
  type: string
  unit: string
  extra: Extra
  /** Offsets at which the values begin and, for numbers, end. */
  startFrom: number
  startTo: number
  endFrom: number
  endTo: number
  samples: number
  weights: number
  events: number
}

export function noFields(): ProfileFields {
  return {
    name: '',
    type: '',
    unit: 'none',
    extra: NO_EXTRA,
    startFrom: NONE_YET,
    startTo: NONE_YET,
    endFrom: NONE_YET,
    endTo: NONE_YET,
    samples: NONE_YET,
    weights: NONE_YET,
    events: NONE_YET,
  }
}

export function readFields(reader: JsonReader, fields: ProfileFields): void {
  reader.beginObject()
  for (let key = reader.nextKey(); key !== undefined; key = reader.nextKey()) {
    switch (key) {
      case 'name':
      case 'type':
      case 'unit':
        if (reader.peek() === 'string') fields[key] = reader.string()
        break
      case 'startValue':
      case 'endValue': {
        if (reader.tryNull()) break
        const from = reader.offset
        reader.number()
        if (key === 'startValue') [fields.startFrom, fields.startTo] = [from, reader.offset]
        else [fields.endFrom, fields.endTo] = [from, reader.offset]
        break
      }
      case 'samples':
      case 'weights':
      case 'events':
        fields[key] = reader.offset
        break
      case EXTRA_KEY:
        fields.extra = readExtra(reader)
    }
  }
}
