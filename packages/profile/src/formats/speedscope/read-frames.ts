// Reads the shared frames of a speedscope file as locations.
import type { FunctionIndex, MappingIndex, StringIndex } from '../../model/columns/brand.ts'
import type { ProfilesBuilder } from '../../model/build/builder.ts'
import { LINE_STRIDE } from '../../model/columns/dictionary.ts'
import { GrowingInts } from '../../model/columns/growing-columns.ts'
import type { JsonReader } from '../../wire/json/json-reader.ts'
import { ScaledNumber } from '../recordings/scaled-number.ts'

const NO_INTS = new Int32Array(0)
const NO_STRING = 0 as StringIndex
const NO_MAPPING = 0 as MappingIndex

/** The location of each frame. The reader is at the list. */
export function readFrames(reader: JsonReader, { dictionary }: ProfilesBuilder): GrowingInts {
  const frames = new GrowingInts(256)
  const line = new Int32Array(LINE_STRIDE)
  const string = (): StringIndex => {
    if (reader.tryNull()) return NO_STRING
    const bytes = reader.stringBytes()
    return dictionary.string(bytes, 0, bytes.length)
  }
  const scaled = new ScaledNumber()
  const number = (column: number): void => {
    if (reader.tryNull()) return
    const kind = reader.peek()
    const from = reader.offset
    if (kind === 'number') reader.number()
    else reader.int64('signed')
    if (kind === 'number' && !scaled.read(reader.bytes, from, reader.offset, 0)) {
      reader.fail('a number exceeds 64 bits', from)
    }
    const { lo, hi } = kind === 'number' ? scaled : reader
    line[column] = lo
    line[column + 1] = hi
  }
  reader.beginArray()
  while (reader.nextItem()) {
    line.fill(0)
    let name = NO_STRING
    let file = NO_STRING
    reader.beginObject()
    for (let key = reader.nextKey(); key !== undefined; key = reader.nextKey()) {
      if (key === 'name') name = string()
      else if (key === 'file') file = string()
      else if (key === 'line') number(1)
      else if (key === 'col') number(3)
    }
    const row: FunctionIndex = dictionary.function(name, NO_STRING, file, 0, 0)
    line[0] = row
    frames.push(dictionary.location(NO_MAPPING, 0, 0, line, 1, NO_INTS, 0))
  }
  return frames
}
