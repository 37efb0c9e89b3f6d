// The half of the decoder that reads the dictionary: one loop for each table, from JSON text into its column.
import { encodeNested, halvesOfDouble } from '../../../model/columns/any-value.ts'
import { LINE_STRIDE, ValueKind } from '../../../model/columns/dictionary.ts'
import { FIRST_LINE_PART, VALUE_PART } from '../../../model/columns/unknown-fields.ts'
import { ColumnReader, NONE_OLDER } from './column-reader.ts'
import { STRING_REFERENCE } from '../../otlp/check-common.ts'
import { DEFERRED } from './complete.ts'
import { olderKeys } from '../sniff.ts'

const OLDER = {
  dictionary: olderKeys('ProfilesDictionary'),
  mapping: olderKeys('Mapping'),
  location: olderKeys('Location'),
  function: olderKeys('Function'),
  attribute: olderKeys('KeyValueAndUnit', 'KeyValue'),
} as const

export class DictionaryDecoder extends ColumnReader {
  protected dictionary(): void {
    const reader = this.reader
    reader.beginObject()
    for (let key = reader.nextKey(); key !== undefined; key = reader.nextKey()) {
      if (reader.tryNull()) continue
      if (key === 'mappingTable') this.list(() => this.mapping())
      else if (key === 'locationTable') this.list(() => this.location())
      else if (key === 'functionTable') this.list(() => this.function())
      else if (key === 'linkTable') this.list(() => this.link())
      else if (key === 'stringTable') this.strings()
      else if (key === 'attributeTable') this.list(() => this.attribute())
      else if (key === 'stackTable') this.list(() => this.stack())
      else this.unknownInDictionary(key, OLDER.dictionary, 'self', 0)
    }
  }

  private strings(): void {
    const reader = this.reader
    const { strings } = this.draft
    reader.beginArray()
    while (reader.nextItem()) {
      this.store.string(reader)
      strings.push(this.store.offset)
      strings.push(this.store.length)
    }
  }

  private stack(): void {
    const reader = this.reader
    const { stacks, stackLocations } = this.draft
    reader.beginObject()
    for (let key = reader.nextKey(); key !== undefined; key = reader.nextKey()) {
      if (reader.tryNull()) continue
      if (key === 'locationIndices') this.indexes(stackLocations)
      else this.unknownInDictionary(key, NONE_OLDER, 'stacks', stacks.length)
    }
    stacks.push(stackLocations.length)
  }

  private function(): void {
    const reader = this.reader
    const { functions } = this.draft
    const row = functions.reserve(5)
    const at = functions.length
    row[at] = row[at + 1] = row[at + 2] = row[at + 3] = row[at + 4] = 0
    reader.beginObject()
    for (let key = reader.nextKey(); key !== undefined; key = reader.nextKey()) {
      if (reader.tryNull()) continue
      if (key === 'nameStrindex') row[at] = reader.int32()
      else if (key === 'systemNameStrindex') row[at + 1] = reader.int32()
      else if (key === 'filenameStrindex') row[at + 2] = reader.int32()
      else if (key === 'startLine') this.signed(row, at + 3)
      else this.unknownInDictionary(key, OLDER.function, 'functions', at / 5)
    }
    functions.length = at + 5
  }

  private location(): void {
    const reader = this.reader
    const { locations, lines, locationAttributes } = this.draft
    const row = locations.reserve(5)
    const at = locations.length
    row[at] = row[at + 1] = row[at + 2] = 0
    reader.beginObject()
    for (let key = reader.nextKey(); key !== undefined; key = reader.nextKey()) {
      if (reader.tryNull()) continue
      if (key === 'mappingIndex') row[at] = reader.int32()
      else if (key === 'address') this.unsigned(row, at + 1)
      else if (key === 'lines') this.lines(at / 5)
      else if (key === 'attributeIndices') this.indexes(locationAttributes)
      else if (key === 'line') {
        this.isV1_8 = true
        this.lines(at / 5)
      } else this.unknownInDictionary(key, OLDER.location, 'locations', at / 5)
    }
    row[at + 3] = lines.length / LINE_STRIDE
    row[at + 4] = locationAttributes.length
    locations.length = at + 5
  }

  private lines(location: number): void {
    const reader = this.reader
    const { lines, locations } = this.draft
    const first = location === 0 ? 0 : locations.array[location * 5 - 2]
    reader.beginArray()
    while (reader.nextItem()) {
      const row = lines.reserve(LINE_STRIDE)
      const at = lines.length
      row[at] = row[at + 1] = row[at + 2] = row[at + 3] = row[at + 4] = 0
      reader.beginObject()
      for (let key = reader.nextKey(); key !== undefined; key = reader.nextKey()) {
        if (reader.tryNull()) continue
        if (key === 'functionIndex') row[at] = reader.int32()
        else if (key === 'line') this.signed(row, at + 1)
        else if (key === 'column') this.signed(row, at + 3)
        else {
          const part = FIRST_LINE_PART + at / LINE_STRIDE - first
          this.unknownInDictionary(key, NONE_OLDER, 'locations', location, part)
        }
      }
      lines.length = at + LINE_STRIDE
    }
  }

  private mapping(): void {
    const reader = this.reader
    const { mappings, mappingAttributes } = this.draft
    const row = mappings.reserve(8)
    const at = mappings.length
    row.fill(0, at, at + 8)
    reader.beginObject()
    for (let key = reader.nextKey(); key !== undefined; key = reader.nextKey()) {
      if (reader.tryNull()) continue
      if (key === 'memoryStart') this.unsigned(row, at)
      else if (key === 'memoryLimit') this.unsigned(row, at + 2)
      else if (key === 'fileOffset') this.unsigned(row, at + 4)
      else if (key === 'filenameStrindex') row[at + 6] = reader.int32()
      else if (key === 'attributeIndices') this.indexes(mappingAttributes)
      else this.unknownInDictionary(key, OLDER.mapping, 'mappings', at / 8)
    }
    row[at + 7] = mappingAttributes.length
    mappings.length = at + 8
  }

  private link(): void {
    const reader = this.reader
    const { links } = this.draft
    const row = links.reserve(4)
    const at = links.length
    row[at] = row[at + 1] = row[at + 2] = row[at + 3] = 0
    reader.beginObject()
    for (let key = reader.nextKey(); key !== undefined; key = reader.nextKey()) {
      if (reader.tryNull()) continue
      if (key === 'traceId' || key === 'spanId') {
        this.store.encoded(reader, 'hex')
        this.setRange(row, key === 'traceId' ? at : at + 2)
      } else this.unknownInDictionary(key, NONE_OLDER, 'links', at / 4)
    }
    links.length = at + 4
  }

  private attribute(): void {
    const reader = this.reader
    const { attributes } = this.draft
    const row = attributes.reserve(5)
    const at = attributes.length
    row[at] = row[at + 1] = row[at + 2] = row[at + 3] = row[at + 4] = 0
    reader.beginObject()
    for (let key = reader.nextKey(); key !== undefined; key = reader.nextKey()) {
      if (reader.tryNull()) continue
      if (key === 'keyStrindex') row[at] = reader.int32()
      else if (key === 'value') this.attributeValue(row, at)
      else if (key === 'unitStrindex') row[at + 1] = reader.int32()
      else this.unknownInDictionary(key, OLDER.attribute, 'attributes', at / 5)
    }
    attributes.length = at + 5
  }

  /** Sets kind, a and b of the row at `at`. The last of several values counts. */
  private attributeValue(row: Int32Array, at: number): void {
    const reader = this.reader
    reader.beginObject()
    for (let key = reader.nextKey(); key !== undefined; key = reader.nextKey()) {
      if (reader.tryNull()) continue
      switch (key) {
        case 'stringValue':
          this.string(row, at + 3)
          row[at + 2] = ValueKind.string
          break
        case 'boolValue':
          this.setValue(row, at, ValueKind.bool, reader.boolean() ? 1 : 0, 0)
          break
        case 'intValue':
          reader.int64('signed')
          this.setValue(row, at, ValueKind.int, reader.lo, reader.hi)
          break
        case 'doubleValue':
          this.setValue(row, at, ValueKind.double, ...halvesOfDouble(reader.double()))
          break
        case 'bytesValue':
          this.store.encoded(reader, 'base64')
          this.setValue(row, at, ValueKind.bytes, this.store.offset, this.store.length)
          break
        case 'stringValueStrindex':
          this.setValue(row, at, STRING_REFERENCE, reader.int32(), 0)
          this.complete.hasReferences = true
          break
        case 'arrayValue':
        case 'kvlistValue':
          this.nestedValue(row, at, key)
          break
        default:
          this.unknownInDictionary(key, NONE_OLDER, 'attributes', at / 5, VALUE_PART)
      }
    }
  }

  private nestedValue(row: Int32Array, at: number, key: 'arrayValue' | 'kvlistValue'): void {
    const kind = key === 'arrayValue' ? ValueKind.array : ValueKind.keyValues
    const offset = this.reader.offset
    this.refers = false
    const value = encodeNested(this.common.nested(key))
    if (this.refers) {
      this.complete.defer(kind, at, offset)
      this.setValue(row, at, kind, offset, DEFERRED)
      return
    }
    this.store.append(value)
    this.setValue(row, at, kind, this.store.offset, this.store.length)
  }

  private setValue(row: Int32Array, at: number, kind: number, a: number, b: number): void {
    row[at + 2] = kind
    row[at + 3] = a
    row[at + 4] = b
  }
}
