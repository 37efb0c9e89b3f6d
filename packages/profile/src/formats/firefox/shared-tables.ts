// The parts that the threads of a written Firefox profile share: strings and libraries.
import type { MappingIndex } from '../../model/columns/brand.ts'
import type { Dictionary } from '../../model/columns/dictionary.ts'
import { baseName } from '../../model/text/frame-name.ts'
import { ATTRIBUTES } from '../../model/attributes/semantic-conventions.ts'
import type { JsonWriter } from '../../wire/json/json-writer.ts'
import { FIREFOX_ATTRIBUTES } from './names.ts'

export class SharedTables {
  readonly dictionary: Dictionary
  readonly #strings = new Map<string, number>()
  /** Libraries by mapping. Several mappings of one file are one library. */
  readonly #libs = new Map<string, number>()
  readonly #mappings: MappingIndex[] = []

  constructor(dictionary: Dictionary) {
    this.dictionary = dictionary
  }

  string(text: string): number {
    let row = this.#strings.get(text)
    if (row === undefined) {
      row = this.#strings.size
      this.#strings.set(text, row)
    }
    return row
  }

  strings(): string[] {
    return [...this.#strings.keys()]
  }

  /** The row of a mapping's library. */
  lib(mapping: MappingIndex): number {
    const { path, codeId, breakpadId } = this.#textsOf(mapping)
    const key = `${path}\0${codeId}\0${breakpadId}`
    let row = this.#libs.get(key)
    if (row === undefined) {
      row = this.#mappings.length
      this.#mappings.push(mapping)
      this.#libs.set(key, row)
    }
    return row
  }

  libName(row: number): string {
    return baseName(this.#textsOf(this.#mappings[row]).path)
  }

  writeLibs(writer: JsonWriter): void {
    writer.beginArray()
    for (const mapping of this.#mappings) {
      const { path, codeId, breakpadId } = this.#textsOf(mapping)
      const name = baseName(path)
      writer.beginObject()
      for (const [key, text] of Object.entries({
        arch: '',
        name,
        path,
        debugName: name,
        debugPath: path,
        breakpadId,
      })) {
        writer.key(key)
        writer.string(text)
      }
      writer.key('codeId')
      if (codeId === '') writer.nullValue()
      else writer.string(codeId)
      writer.endObject()
    }
    writer.endArray()
  }

  #textsOf(mapping: MappingIndex): { path: string; codeId: string; breakpadId: string } {
    const { mappings, attributes, strings } = this.dictionary
    const texts = new Map<string, string>()
    for (const row of mappings.attributesOf(mapping)) {
      const value = attributes.value(row)
      if (typeof value === 'string') texts.set(strings.text(attributes.key(row)), value)
    }
    return {
      path: strings.text(mappings.filename(mapping)),
      codeId: texts.get(ATTRIBUTES.buildIdGnu) ?? '',
      breakpadId: texts.get(FIREFOX_ATTRIBUTES.breakpadId) ?? '',
    }
  }
}
