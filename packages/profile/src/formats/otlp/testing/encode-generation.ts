// A writer of every generation, to test their readers. Generations up to v1.7 have no zero rows, several sample types per
// profile, and runs of locations instead of stacks.
import type {
  AttributeIndex,
  FunctionIndex,
  LinkIndex,
  LocationIndex,
  MappingIndex,
  StackIndex,
  StringIndex,
} from '../../../model/columns/brand.ts'
import type { Profiles } from '../../../model/columns/profiles.ts'
import type { LegacyGeneration } from '../legacy/field-names.ts'
import type { Generation } from '../generations/schema.ts'
import { isCurrent } from '../lenient/reference-rules.ts'
import type { EncodeOptions, PlainMessage } from './encode-message.ts'
import { encodeMessage } from './encode-message.ts'
import { LegacyWriter } from './legacy-writer.ts'
import { anyValue, resourceProfiles, rowsOf, timestampsOf, valuesOf } from './plain-content.ts'

export function encodeGeneration(profiles: Profiles, generation: Generation, options: EncodeOptions = {}): Uint8Array {
  const content = isCurrent(generation)
    ? currentContent(profiles, generation)
    : new LegacyWriter(profiles, generation satisfies LegacyGeneration).content()
  return encodeMessage(generation, content, undefined, options)
}

/** v1.8 and later: the tables of the model, row by row. */
function currentContent(profiles: Profiles, generation: Generation): PlainMessage {
  const { dictionary, scopes, profiles: table, samples } = profiles
  const { strings, functions, mappings, locations, stacks, links, attributes } = dictionary
  const samplesKey = generation === 'v1.8' ? 'sample' : 'samples'
  const linesKey = generation === 'v1.8' ? 'line' : 'lines'
  const sample = (i: number): PlainMessage => ({
    stack_index: samples.stack(i),
    attribute_indices: samples.attributesOf(i),
    link_index: samples.link(i),
    values: valuesOf(profiles, i),
    timestamps_unix_nano: timestampsOf(profiles, i),
  })
  const profile = (i: number): PlainMessage => ({
    sample_type: { type_strindex: table.type(i), unit_strindex: table.unit(i) },
    [samplesKey]: rowsOf(samples, table.samplesFrom(i), table.samplesTo(i)).map(sample),
    time_unix_nano: table.time(i),
    duration_nano: table.duration(i),
    period_type: { type_strindex: table.periodType(i), unit_strindex: table.periodUnit(i) },
    period: table.period(i),
    profile_id: table.id(i),
    dropped_attributes_count: table.droppedAttributes(i),
    original_payload_format: table.originalPayloadFormat(i),
    original_payload: table.originalPayload(i),
    attribute_indices: table.attributesOf(i),
  })
  return {
    resource_profiles: resourceProfiles(profiles, scope =>
      rowsOf(table, scopes.from(scope), scopes.to(scope)).map(profile),
    ),
    dictionary: {
      mapping_table: rowsOf<MappingIndex>(mappings).map(i => ({
        memory_start: mappings.memoryStart(i),
        memory_limit: mappings.memoryLimit(i),
        file_offset: mappings.fileOffset(i),
        filename_strindex: mappings.filename(i),
        attribute_indices: mappings.attributesOf(i),
      })),
      location_table: rowsOf<LocationIndex>(locations).map(i => ({
        mapping_index: locations.mapping(i),
        address: locations.address(i),
        [linesKey]: linesOf(profiles, i),
        attribute_indices: locations.attributesOf(i),
      })),
      function_table: rowsOf<FunctionIndex>(functions).map(i => ({
        name_strindex: functions.name(i),
        system_name_strindex: functions.systemName(i),
        filename_strindex: functions.filename(i),
        start_line: functions.startLine(i),
      })),
      link_table: rowsOf<LinkIndex>(links).map(i => ({ trace_id: links.traceId(i), span_id: links.spanId(i) })),
      string_table: rowsOf<StringIndex>(strings).map(i => strings.text(i)),
      attribute_table: rowsOf<AttributeIndex>(attributes).map(i => ({
        key_strindex: attributes.key(i),
        value: attributes.kind(i) === 0 ? undefined : anyValue(attributes.value(i)),
        unit_strindex: attributes.unit(i),
      })),
      stack_table: rowsOf<StackIndex>(stacks).map(i => ({
        location_indices: stacks.locations.slice(stacks.from(i), stacks.to(i)),
      })),
    },
  }
}

function linesOf({ dictionary: { locations } }: Profiles, i: LocationIndex): PlainMessage[] {
  const { lines } = locations
  return rowsOf(lines, locations.linesFrom(i), locations.linesTo(i)).map(k => ({
    function_index: lines.function(k),
    line: lines.line(k),
    column: lines.column(k),
  }))
}
