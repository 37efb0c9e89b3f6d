// Converts a field of an event to an attribute of its sample: class names, thread states, flags, small numbers. Each distinct
// value is looked up once per chunk.
import { NONE } from '../../../model/columns/brand.ts'
import type { ProfilesBuilder } from '../../../model/build/builder.ts'
import { GrowingInts } from '../../../model/columns/growing-columns.ts'
import { integerAttribute, textAttribute } from './attributes.ts'
import type { Constants } from '../encoding/constants.ts'
import type { Extractor } from '../encoding/extract.ts'
import { KeyIndex } from '../encoding/key-index.ts'
import type { Texts } from '../encoding/texts.ts'

export class FieldAttribute {
  /** Attributes by text. */
  readonly texts = new Map<string, number>()
  readonly #key: string
  readonly #extractor: Extractor
  readonly #slot: number
  readonly #reader: Texts
  readonly #builder: ProfilesBuilder
  readonly #isBoolean: boolean
  /** Attributes of integers and keys of constants that occurred before. */
  readonly #known = new KeyIndex()
  readonly #attributes = new GrowingInts()

  constructor(
    key: string,
    extractor: Extractor,
    slot: number,
    constants: Constants,
    reader: Texts,
    builder: ProfilesBuilder,
  ) {
    this.#key = key
    this.#extractor = extractor
    this.#slot = slot
    this.#reader = reader
    this.#builder = builder
    const type = extractor.types[slot]
    this.#isBoolean = type !== NONE && constants.layouts.metadata.classes[type].name === 'boolean'
  }

  /** The attribute for the event that was extracted last; 0 if the field is not set. */
  get(): number {
    const { forms, values } = this.#extractor
    const slot = this.#slot
    switch (forms[slot]) {
      case 'integer':
      case 'constant': {
        const lo = values[2 * slot]
        const hi = values[2 * slot + 1]
        const known = this.#known.find(lo, hi)
        if (known !== NONE) return this.#attributes.array[known]
        const attribute = this.#resolve(lo, hi)
        this.#known.add(lo, hi)
        this.#attributes.push(attribute)
        return attribute
      }
      case 'inline':
        return this.#text()
      case 'absent':
      case 'list':
      case 'constantList':
        return 0
    }
  }

  #resolve(lo: number, hi: number): number {
    if (this.#extractor.forms[this.#slot] === 'constant') return this.#text()
    if (this.#isBoolean) return this.#builder.attribute(this.#key, lo !== 0)
    return integerAttribute(this.#builder, this.#key, lo, hi)
  }

  #text(): number {
    const reader = this.#reader
    if (!reader.read(this.#extractor, this.#slot) || reader.length === 0) return 0
    const attribute = textAttribute(this.#builder, this.#key, reader)
    this.texts.set(reader.string(), attribute)
    return attribute
  }
}
