// Turns attributes and links into labels, the reverse of label-reader.ts. Types that pprof lacks become text and are counted.
import { hexOf } from '../../model/text/hex.ts'
import type { AnyValue, KeyValue } from '../../model/columns/any-value.ts'
import { isKeyValueList } from '../../model/columns/any-value.ts'
import type { AttributeIndex, StringIndex } from '../../model/columns/brand.ts'
import { highHalf, lowHalf } from '../../model/columns/int64.ts'
import type { Profiles } from '../../model/columns/profiles.ts'
import type { BackwardWriter } from '../../wire/protobuf/backward-writer.ts'
import type { NoteList } from '../format.ts'

/** A label as written to the file. Strings are rows of the file's string table. */
interface Label {
  readonly key: number
  readonly string: number
  readonly number: bigint
  readonly unit: number
}

export class LabelWriter {
  readonly #profiles: Profiles
  readonly #text: (text: string) => number
  readonly #string: (index: StringIndex) => number
  readonly #notes: NoteList
  readonly #labels = new Map<number, readonly Label[]>()
  readonly #links = new Map<number, readonly Label[]>()

  constructor(
    profiles: Profiles,
    text: (text: string) => number,
    string: (index: StringIndex) => number,
    notes: NoteList,
  ) {
    this.#profiles = profiles
    this.#text = text
    this.#string = string
    this.#notes = notes
  }

  /** Writes the labels of a sample from last to first, then those of its resource in front of them. */
  write(writer: BackwardWriter, sample: number, resource: readonly KeyValue[]): void {
    const { samples } = this.#profiles
    const link = samples.link(sample)
    if (link !== 0) for (const label of this.#linkLabels(link)) writeLabel(writer, label)
    for (let k = samples.attributesTo(sample) - 1; k >= samples.attributesFrom(sample); k--) {
      for (const label of this.#attributeLabels(samples.attributes.at(k)).toReversed()) writeLabel(writer, label)
    }
    for (const { key, value } of resource.toReversed()) {
      for (const label of this.#labelsOf(this.#text(key), 0, value).toReversed()) writeLabel(writer, label)
    }
  }

  #linkLabels(link: number): readonly Label[] {
    let labels = this.#links.get(link)
    if (labels === undefined) {
      const { links } = this.#profiles.dictionary
      labels = [
        { key: this.#text('span_id'), string: this.#text(hexOf(links.spanId(link as never))), number: 0n, unit: 0 },
        { key: this.#text('trace_id'), string: this.#text(hexOf(links.traceId(link as never))), number: 0n, unit: 0 },
      ]
      this.#links.set(link, labels)
    }
    return labels
  }

  #attributeLabels(attribute: AttributeIndex): readonly Label[] {
    let labels = this.#labels.get(attribute)
    if (labels === undefined) {
      const { attributes } = this.#profiles.dictionary
      const unit = this.#string(attributes.unit(attribute))
      labels = this.#labelsOf(this.#string(attributes.key(attribute)), unit, attributes.value(attribute))
      this.#labels.set(attribute, labels)
    }
    return labels
  }

  #labelsOf(key: number, unit: number, value: AnyValue): readonly Label[] {
    if (value === undefined) return [{ key, string: 0, number: 0n, unit }]
    if (typeof value === 'string') return [{ key, string: this.#text(value), number: 0n, unit }]
    if (typeof value === 'bigint') return [{ key, string: 0, number: value, unit }]
    if (isList(value) && value.length > 1) return value.flatMap(item => this.#itemLabels(key, unit, item))
    this.#notes.add('attribute-types', 'values that are neither text nor integers were written as text')
    return [{ key, string: this.#text(displayed(value)), number: 0n, unit }]
  }

  /** The label of one array item. A number can have its own unit. */
  #itemLabels(key: number, unit: number, item: AnyValue): readonly Label[] {
    if (item !== undefined && isKeyValueList(item) && item.entries.length === 2) {
      const [number, own] = item.entries
      if (
        number.key === 'value' &&
        own.key === 'unit' &&
        typeof number.value === 'bigint' &&
        typeof own.value === 'string'
      ) {
        return [{ key, string: 0, number: number.value, unit: this.#text(own.value) }]
      }
    }
    return this.#labelsOf(key, unit, item)
  }
}

/** Array.isArray does not narrow read-only arrays. */
function isList(value: AnyValue): value is readonly AnyValue[] {
  return Array.isArray(value)
}

function writeLabel(writer: BackwardWriter, { key, string, number, unit }: Label): void {
  const mark = writer.written
  writer.varint32Field(0x20, unit)
  writer.varint64Field(0x18, lowHalf(number), highHalf(number))
  writer.varint32Field(0x10, string)
  writer.varint32Field(0x08, key)
  writer.messageHeader(0x1a, mark)
}

function displayed(value: AnyValue): string {
  if (value instanceof Uint8Array) return hexOf(value)
  return JSON.stringify(value, (_, inner: unknown) => (typeof inner === 'bigint' ? inner.toString() : inner)) ?? ''
}
