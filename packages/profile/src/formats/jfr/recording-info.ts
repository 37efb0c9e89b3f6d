// Reads the description of the recorded process into attributes of the resource.
import type { KeyValue } from '../../model/columns/any-value.ts'
import { ATTRIBUTES } from '../../model/attributes/semantic-conventions.ts'
import { int64 } from '../../model/columns/int64.ts'
import type { Cursor } from './encoding/cursor.ts'
import { Extractor } from './encoding/extract.ts'
import type { Layouts } from './encoding/layout.ts'
import type { Metadata } from './encoding/metadata.ts'
import { classNameOf } from './encoding/metadata.ts'
import type { Settings } from './samples/settings.ts'
import type { Texts } from './encoding/texts.ts'

/** Event types to read before the samples. */
export const INFO_EVENTS: readonly string[] = ['jdk.ActiveSetting', 'jdk.JVMInformation', 'jdk.OSInformation']

/** Attributes by event and field. */
const RESOURCE_FIELDS: Readonly<Record<string, readonly (readonly [field: string, attribute: string])[]>> = {
  'jdk.JVMInformation': [
    ['pid', ATTRIBUTES.processPid],
    ['jvmName', 'process.runtime.name'],
    ['jvmVersion', 'process.runtime.description'],
  ],
  'jdk.OSInformation': [['osVersion', 'os.description']],
}

export class RecordingInfo {
  readonly #attributes = new Map<string, string | bigint>()

  attributes(): KeyValue[] {
    return Array.from(this.#attributes, ([key, value]) => ({ key, value }))
  }

  /** Reads an event of INFO_EVENTS whose fields begin at the cursor. */
  read(event: string, type: number, layouts: Layouts, cursor: Cursor, texts: Texts, settings: Settings): void {
    if (event === 'jdk.ActiveSetting') return readSetting(type, layouts, cursor, texts, settings)
    const fields = RESOURCE_FIELDS[event] ?? []
    const extractor = new Extractor(
      layouts,
      cursor,
      type,
      fields.map(([field]) => field),
      'last',
    )
    extractor.run(cursor)
    for (const [slot, [, key]] of fields.entries()) {
      const { forms, values } = extractor
      if (forms[slot] === 'integer') this.#attributes.set(key, int64(values[2 * slot], values[2 * slot + 1]))
      else if (texts.read(extractor, slot) && texts.length > 0) this.#attributes.set(key, texts.string())
    }
  }
}

function readSetting(type: number, layouts: Layouts, cursor: Cursor, texts: Texts, settings: Settings): void {
  const extractor = new Extractor(layouts, cursor, type, ['id', 'name', 'value'], 'last')
  extractor.run(cursor)
  const { values } = extractor
  const event = eventOf(layouts.metadata, values[0], values[1])
  const name = texts.read(extractor, 1) ? texts.string() : ''
  if (texts.read(extractor, 2)) settings.set(event, name, texts.string())
}

function eventOf(metadata: Metadata, lo: number, hi: number): string {
  return classNameOf(metadata, metadata.ids.find(lo, hi), lo, hi)
}
