// Reads the messages of common.proto: attribute values, resources, scopes. They are small trees, which are decoded to objects
// and then encoded for the model. References to the string table are resolved if it is already known.
import type { AnyValue, EntityRef, KeyValue, KeyValueList, Resource, Scope } from '../../../model/columns/any-value.ts'
import { MAX_VALUE_DEPTH } from '../../../model/columns/any-value.ts'
import { encodeParts, joinBytes } from '../../../model/columns/unknown-fields.ts'
import { int64 } from '../../../model/columns/int64.ts'
import type { JsonReader } from '../../../wire/json/json-reader.ts'
import { MAX_LIST } from '../../otlp/generations/message-fields.ts'
import { encodeMember } from '../../otlp/json-members.ts'
import { readBytes } from '../byte-text.ts'

const SPACE = 0x20

/** Returns the string that the number at this offset refers to. */
export type StringAt = (index: number, offset: number) => string

/** Each method reads the next value of the text. */
export class CommonReader {
  /** Numbers of members that the format does not define: those that the messages have, and the others. */
  keptFields = 0
  droppedFields = 0
  /** Number of attributes with both `key` and `keyStrindex`, which OTLP forbids. */
  keysTwice = 0
  readonly #reader: JsonReader
  readonly #stringAt: StringAt
  /** Number of objects that the current message may still create: `{},` takes 3 bytes of text and about 50 as an object. */
  #left = 0

  constructor(reader: JsonReader, stringAt: StringAt) {
    this.#reader = reader
    this.#stringAt = stringAt
  }

  resource(): Resource {
    this.#left = MAX_LIST
    let attributes: readonly KeyValue[] = []
    let entityRefs: readonly EntityRef[] = []
    let droppedAttributesCount = 0
    const unknown: Uint8Array[] = []
    this.#object(key => {
      if (key === 'attributes') attributes = this.#items(() => this.#keyValue(1))
      else if (key === 'droppedAttributesCount') droppedAttributesCount = this.#reader.uint32()
      else if (key === 'entityRefs') entityRefs = this.#items(() => this.#entityRef())
      else this.#keep(key, unknown)
    })
    return { attributes, droppedAttributesCount, entityRefs, ...fieldsOf(unknown) }
  }

  scope(): Scope {
    this.#left = MAX_LIST
    let name = ''
    let version = ''
    let attributes: readonly KeyValue[] = []
    let droppedAttributesCount = 0
    const unknown: Uint8Array[] = []
    this.#object(key => {
      if (key === 'name') name = this.#reader.string()
      else if (key === 'version') version = this.#reader.string()
      else if (key === 'attributes') attributes = this.#items(() => this.#keyValue(1))
      else if (key === 'droppedAttributesCount') droppedAttributesCount = this.#reader.uint32()
      else this.#keep(key, unknown)
    })
    return { name, version, attributes, droppedAttributesCount, ...fieldsOf(unknown) }
  }

  /** Reads the `arrayValue` or `kvlistValue` of an attribute value. */
  nested(key: 'arrayValue' | 'kvlistValue'): readonly AnyValue[] | KeyValueList {
    this.#left = MAX_LIST
    return key === 'arrayValue' ? this.#array(1) : this.#keyValueList(1)
  }

  #entityRef(): EntityRef {
    let schemaUrl = ''
    let type = ''
    let idKeys: readonly string[] = []
    let descriptionKeys: readonly string[] = []
    const unknown: Uint8Array[] = []
    this.#object(key => {
      if (key === 'schemaUrl') schemaUrl = this.#reader.string()
      else if (key === 'type') type = this.#reader.string()
      else if (key === 'idKeys') idKeys = this.#items(() => this.#reader.string())
      else if (key === 'descriptionKeys') descriptionKeys = this.#items(() => this.#reader.string())
      else this.#keep(key, unknown)
    })
    return { schemaUrl, type, idKeys, descriptionKeys, ...fieldsOf(unknown) }
  }

  #keyValue(depth: number): KeyValue {
    let text = ''
    let value: AnyValue
    let hasText = false
    let hasReference = false
    const unknown: Uint8Array[] = []
    const unknownOfValue: Uint8Array[] = []
    this.#object(key => {
      if (key === 'key') {
        text = this.#reader.string()
        hasText = text !== ''
      } else if (key === 'value') value = this.#anyValue(depth, unknownOfValue)
      else if (key === 'keyStrindex') {
        const at = this.#reader.offset
        const index = this.#reader.int32()
        hasReference = index !== 0
        if (hasReference) text = this.#stringAt(index, at)
      } else this.#keep(key, unknown)
    })
    if (hasText && hasReference) this.keysTwice++
    if (unknown.length + unknownOfValue.length === 0) return { key: text, value }
    const parts = [joinBytes(unknown), joinBytes(unknownOfValue)].entries()
    return { key: text, value, unknown: encodeParts(parts) }
  }

  /** Members that the format does not define go to `unknown`. Without it, they are dropped. */
  #anyValue(depth: number, unknown?: Uint8Array[]): AnyValue {
    const reader = this.#reader
    if (depth > MAX_VALUE_DEPTH) reader.fail(`attribute value nested deeper than ${MAX_VALUE_DEPTH} levels`)
    let value: AnyValue
    this.#object(key => {
      switch (key) {
        case 'stringValue':
          value = reader.string()
          break
        case 'boolValue':
          value = reader.boolean()
          break
        case 'intValue':
          reader.int64('signed')
          value = int64(reader.lo, reader.hi)
          break
        case 'doubleValue':
          value = reader.double()
          break
        case 'arrayValue':
          value = this.#array(depth)
          break
        case 'kvlistValue':
          value = this.#keyValueList(depth)
          break
        case 'bytesValue':
          value = readBytes(reader, 'base64')
          break
        case 'stringValueStrindex': {
          const at = reader.offset
          value = this.#stringAt(reader.int32(), at)
          break
        }
        default:
          if (unknown === undefined) this.droppedFields++
          else this.#keep(key, unknown)
      }
    })
    return value
  }

  #array(depth: number): readonly AnyValue[] {
    let values: readonly AnyValue[] = []
    this.#object(key => {
      if (key === 'values') values = this.#items(() => this.#anyValue(depth + 1))
      else this.droppedFields++
    })
    return values
  }

  #keyValueList(depth: number): KeyValueList {
    let entries: readonly KeyValue[] = []
    this.#object(key => {
      if (key === 'values') entries = this.#items(() => this.#keyValue(depth + 1))
      else this.droppedFields++
    })
    return { entries }
  }

  #keep(key: string, unknown: Uint8Array[]): void {
    this.keptFields++
    unknown.push(encodeMember(key, valueText(this.#reader)))
  }

  /** Null means absent. Values that `read` does not read are skipped. */
  #object(read: (key: string) => void): void {
    const reader = this.#reader
    reader.beginObject()
    for (let key = reader.nextKey(); key !== undefined; key = reader.nextKey()) if (!reader.tryNull()) read(key)
  }

  #items<Item>(read: () => Item): Item[] {
    const reader = this.#reader
    const items: Item[] = []
    reader.beginArray()
    while (reader.nextItem()) {
      if (--this.#left < 0) reader.fail(`more than ${MAX_LIST} values in one message`)
      items.push(read())
    }
    return items
  }
}

/** Skips the next value and returns its text. */
export function valueText(reader: JsonReader): Uint8Array {
  let from = reader.offset
  reader.skip()
  while (reader.bytes[from] <= SPACE) from++
  return reader.bytes.subarray(from, reader.offset)
}

function fieldsOf(unknown: readonly Uint8Array[]): { readonly unknown?: Uint8Array } {
  return unknown.length === 0 ? {} : { unknown: joinBytes(unknown) }
}
