// The rows into which the tables and samples of a generation are read, and the slots of their fields.
import { Row } from '../generations/row.ts'
import type { Generation, MessageSchema } from '../generations/schema.ts'
import { schemaOf } from '../generations/schema.ts'
import type { LegacyGeneration } from './field-names.ts'
import { fieldNames } from './field-names.ts'

/** A generation without a message has rows without fields. */
function rowOf(generation: Generation, name: string): Row {
  const none: MessageSchema = { name, fields: [], byNumber: new Map(), byName: new Map() }
  return new Row(schemaOf(generation).get(name) ?? none)
}

function slotsOf<Names extends Readonly<Record<string, string>>>(
  row: Row,
  names: Names,
): Readonly<Record<keyof Names, number>> {
  const slots = Object.entries(names).map(([key, field]) => [key, row.slot(field)] as const)
  return Object.fromEntries(slots) as Record<keyof Names, number>
}

export class LegacyRows {
  readonly sample: Row
  readonly label: Row
  readonly mapping: Row
  readonly location: Row
  readonly line: Row
  readonly function: Row
  readonly slots

  constructor(generation: LegacyGeneration) {
    const { attributes, link, name, systemName, filename } = fieldNames(generation)
    this.sample = rowOf(generation, 'Sample')
    this.label = rowOf(generation, 'Label')
    this.mapping = rowOf(generation, 'Mapping')
    this.location = rowOf(generation, 'Location')
    this.line = rowOf(generation, 'Line')
    this.function = rowOf(generation, 'Function')
    this.slots = {
      sample: slotsOf(this.sample, {
        list: 'location_index',
        start: 'locations_start_index',
        length: 'locations_length',
        values: 'value',
        times: 'timestamps_unix_nano',
        labels: 'label',
        stacktraceId: 'stacktrace_id_index',
        attributes,
        link,
      }),
      label: slotsOf(this.label, { key: 'key', text: 'str', number: 'num', unit: 'num_unit' }),
      mapping: slotsOf(this.mapping, {
        memoryStart: 'memory_start',
        memoryLimit: 'memory_limit',
        fileOffset: 'file_offset',
        buildId: 'build_id',
        buildIdKind: 'build_id_kind',
        hasFunctions: 'has_functions',
        hasFilenames: 'has_filenames',
        hasLineNumbers: 'has_line_numbers',
        hasInlineFrames: 'has_inline_frames',
        filename,
        attributes,
      }),
      location: slotsOf(this.location, {
        mapping: 'mapping_index',
        address: 'address',
        lines: 'line',
        type: 'type_index',
        isFolded: 'is_folded',
        attributes,
      }),
      line: slotsOf(this.line, { function: 'function_index', line: 'line', column: 'column' }),
      function: slotsOf(this.function, { name, systemName, filename, startLine: 'start_line' }),
    }
  }

  /** Releases the payload. */
  release(): void {
    for (const row of [this.sample, this.label, this.mapping, this.location, this.line, this.function]) row.release()
  }
}

const known = new Map<LegacyGeneration, LegacyRows>()

/** Rows are reused for the next payload, because they consist of many small arrays. */
export function rowsOf(generation: LegacyGeneration): LegacyRows {
  let rows = known.get(generation)
  if (rows === undefined) known.set(generation, (rows = new LegacyRows(generation)))
  return rows
}
