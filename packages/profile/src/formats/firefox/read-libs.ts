// Reads the libraries of a Firefox profile as mappings. Gecko profiles have their memory ranges. In processed profiles,
// addresses are relative to the library, and some also have the memory ranges.
import type { AttributeIndex, MappingIndex } from '../../model/columns/brand.ts'
import type { ProfilesBuilder } from '../../model/build/builder.ts'
import { ATTRIBUTES } from '../../model/attributes/semantic-conventions.ts'
import { JsonReader } from '../../wire/json/json-reader.ts'
import { FIREFOX_ATTRIBUTES } from './names.ts'

export interface Lib {
  readonly mapping: MappingIndex
  readonly start: bigint
  readonly end: bigint
  /** The offset of the memory range in the library. */
  readonly offset: bigint
}

/** The reader is at the list. Very old files have it as a text of JSON. */
export function readLibs(reader: JsonReader, builder: ProfilesBuilder): Lib[] {
  if (reader.peek() === 'string') {
    const at = reader.offset
    const inner = new JsonReader(reader.stringBytes())
    try {
      return readList(inner, builder)
    } catch {
      // Offsets within the text would not help the user, who sees the file.
      return reader.fail('the list of libraries is not valid JSON', at)
    }
  }
  return reader.peek() === 'array' ? readList(reader, builder) : (reader.skip(), [])
}

function readList(reader: JsonReader, builder: ProfilesBuilder): Lib[] {
  const libs: Lib[] = []
  reader.beginArray()
  while (reader.nextItem()) libs.push(readLib(reader, builder))
  return libs
}

function readLib(reader: JsonReader, builder: ProfilesBuilder): Lib {
  const texts = new Map<string, string>()
  const numbers = new Map<string, bigint>()
  reader.beginObject()
  for (let key = reader.nextKey(); key !== undefined; key = reader.nextKey()) {
    const kind = reader.peek()
    if (kind === 'string') texts.set(key, reader.string())
    else if (kind === 'number' && (key === 'start' || key === 'end' || key === 'offset')) {
      reader.int64()
      numbers.set(key, BigInt.asUintN(64, (BigInt(reader.hi) << 32n) | BigInt(reader.lo >>> 0)))
    }
  }
  const attributes: AttributeIndex[] = []
  const codeId = texts.get('codeId') ?? ''
  const breakpadId = texts.get('breakpadId') ?? ''
  // A code id is a GNU build id except on Windows, where it is shorter.
  if (/^[0-9a-f]{32,}$/i.test(codeId)) attributes.push(builder.attribute(ATTRIBUTES.buildIdGnu, codeId))
  if (breakpadId !== '') attributes.push(builder.attribute(FIREFOX_ATTRIBUTES.breakpadId, breakpadId))
  const start = numbers.get('start') ?? 0n
  const end = numbers.get('end') ?? 0n
  const filename = texts.get('path') || texts.get('name') || texts.get('debugName') || ''
  const offset = numbers.get('offset') ?? 0n
  const mapping = builder.mapping({ filename, memoryStart: start, memoryLimit: end, fileOffset: offset, attributes })
  return { mapping, start, end, offset }
}
