// The layouts that the arrays draft compares: everything embedded (denormalized), tables and sample messages (normalized), and
// tables and arrays of numbers (arrays). All are written from the same profiles and decoded by protobufjs.
import type { Profiles } from '@hearth/profile'
import protobuf from 'protobufjs'

const PROTO = `syntax = "proto3";
message Mapping { uint64 memory_start = 1; uint64 memory_limit = 2; string filename = 3; }
message Function { string name = 1; string system_name = 2; string filename = 3; int64 start_line = 4; }
message Line { Function function = 1; int64 line = 2; }
message Location { Mapping mapping = 1; uint64 address = 2; repeated Line lines = 3; }
message Attribute { string key = 1; string value = 2; }
message Sample { repeated Location locations = 1; int64 value = 2; repeated Attribute attributes = 3; uint64 timestamp = 4; }
message Type { string type = 1; string unit = 2; repeated Sample samples = 3; }
message Denormalized { repeated Type types = 1; }

message MappingRow { uint64 memory_start = 1; uint64 memory_limit = 2; uint32 filename = 3; }
message FunctionRow { uint32 name = 1; uint32 system_name = 2; uint32 filename = 3; int64 start_line = 4; }
message LineRow { uint32 function = 1; int64 line = 2; }
message LocationRow { uint32 mapping = 1; uint64 address = 2; repeated LineRow lines = 3; }
message Stack { repeated uint32 locations = 1; }
message AttributeSet { repeated Attribute attributes = 1; }
message Tables {
  repeated string strings = 1; repeated MappingRow mappings = 2; repeated FunctionRow functions = 3;
  repeated LocationRow locations = 4; repeated Stack stacks = 5; repeated AttributeSet sets = 6;
}
message SampleRow { uint32 stack = 1; int64 value = 2; uint32 set = 3; uint64 timestamp = 4; }
message TypeOfRows { string type = 1; string unit = 2; repeated SampleRow samples = 3; }
message Normalized { Tables tables = 1; repeated TypeOfRows types = 2; }
message TypeOfArrays {
  string type = 1; string unit = 2; repeated uint32 stacks = 3; repeated int64 values = 4; repeated uint32 sets = 5;
  repeated uint64 timestamps = 6;
}
message Arrays { Tables tables = 1; repeated TypeOfArrays types = 2; }
`

export const DRAFT_LAYOUTS = ['denormalized', 'normalized', 'arrays'] as const
export type DraftLayout = (typeof DRAFT_LAYOUTS)[number]

const MESSAGES = { denormalized: 'Denormalized', normalized: 'Normalized', arrays: 'Arrays' } as const
const { root } = protobuf.parse(PROTO, { keepCase: true })

export function decodeLayout(layout: DraftLayout, bytes: Uint8Array): unknown {
  return root.lookupType(MESSAGES[layout]).decode(bytes)
}

type Fields = Record<string, unknown>

export interface LayoutContent {
  readonly labelSets: number
  readonly bytes: Readonly<Record<DraftLayout, Uint8Array>>
}

/** Encodes profiles without links in each layout. */
export function encodeLayouts(profiles: Profiles): LayoutContent {
  const content = new Content(profiles)
  const tables = content.tables()
  const encode = (layout: DraftLayout, message: Fields): Uint8Array =>
    root.lookupType(MESSAGES[layout]).encode(message).finish()
  return {
    labelSets: content.sets.size,
    bytes: {
      denormalized: encode('denormalized', { types: content.types(samples => ({ samples: samples.map(embedded) })) }),
      normalized: encode('normalized', {
        tables,
        types: content.types(samples => ({ samples: samples.map(({ row }) => row) })),
      }),
      arrays: encode('arrays', { tables, types: content.types(arraysOf) }),
    },
  }
}

interface Sample {
  readonly row: { readonly stack: number; readonly value: number; readonly set: number; readonly timestamp: number }
  readonly locations: readonly Fields[]
  readonly attributes: readonly Fields[]
}

function embedded({ row, locations, attributes }: Sample): Fields {
  return { locations, value: row.value, attributes, timestamp: row.timestamp }
}

function arraysOf(samples: readonly Sample[]): Fields {
  const column = (name: keyof Sample['row']): number[] => samples.map(({ row }) => row[name])
  const isTimed = samples.some(({ row }) => row.timestamp > 0)
  return {
    stacks: column('stack'),
    values: column('value'),
    sets: column('set'),
    timestamps: isTimed ? column('timestamp') : [],
  }
}

class Content {
  readonly #profiles: Profiles
  /** The number of each set of labels, by its text. */
  readonly sets = new Map<string, number>()
  readonly #setRows: (readonly Fields[])[] = []
  readonly #locations: readonly Fields[]

  constructor(profiles: Profiles) {
    this.#profiles = profiles
    const { mappings, functions, locations, strings } = profiles.dictionary
    const rows = <Row>(length: number, row: (i: number) => Row): Row[] => Array.from({ length }, (_, i) => row(i))
    const mappingRows = rows(mappings.length, i => ({
      memory_start: Number(mappings.memoryStart(i as never)),
      memory_limit: Number(mappings.memoryLimit(i as never)),
      filename: strings.text(mappings.filename(i as never)),
    }))
    const functionRows = rows(functions.length, i => ({
      name: strings.text(functions.name(i as never)),
      system_name: strings.text(functions.systemName(i as never)),
      filename: strings.text(functions.filename(i as never)),
      start_line: Number(functions.startLine(i as never)),
    }))
    this.#locations = rows(locations.length, i => ({
      mapping: mappingRows[locations.mapping(i as never)],
      address: Number(locations.address(i as never)),
      lines: rows(locations.linesTo(i as never) - locations.linesFrom(i as never), k => {
        const line = locations.linesFrom(i as never) + k
        return { function: functionRows[locations.lines.function(line)], line: Number(locations.lines.line(line)) }
      }),
    }))
    for (let s = 0; s < profiles.samples.length; s++) this.#setOf(s)
  }

  tables(): Fields {
    const { mappings, functions, locations, stacks, strings } = this.#profiles.dictionary
    const rows = (length: number, row: (i: number) => Fields): Fields[] => Array.from({ length }, (_, i) => row(i))
    return {
      strings: Array.from({ length: strings.length }, (_, i) => strings.text(i as never)),
      mappings: rows(mappings.length, i => ({
        memory_start: Number(mappings.memoryStart(i as never)),
        memory_limit: Number(mappings.memoryLimit(i as never)),
        filename: mappings.filename(i as never),
      })),
      functions: rows(functions.length, i => ({
        name: functions.name(i as never),
        system_name: functions.systemName(i as never),
        filename: functions.filename(i as never),
        start_line: Number(functions.startLine(i as never)),
      })),
      locations: rows(locations.length, i => ({
        mapping: locations.mapping(i as never),
        address: Number(locations.address(i as never)),
        lines: rows(locations.linesTo(i as never) - locations.linesFrom(i as never), k => {
          const line = locations.linesFrom(i as never) + k
          return { function: locations.lines.function(line), line: Number(locations.lines.line(line)) }
        }),
      })),
      stacks: rows(stacks.length, i => ({
        locations: stacks.locations.slice(stacks.from(i as never), stacks.to(i as never)),
      })),
      sets: this.#setRows.map(attributes => ({ attributes })),
    }
  }

  types(fields: (samples: readonly Sample[]) => Fields): Fields[] {
    const { profiles, dictionary } = this.#profiles
    return Array.from({ length: profiles.length }, (_, i) => {
      const from = profiles.samplesFrom(i)
      const samples = Array.from({ length: profiles.samplesTo(i) - from }, (__, k) => this.#sample(from + k))
      const { strings } = dictionary
      return { type: strings.text(profiles.type(i)), unit: strings.text(profiles.unit(i)), ...fields(samples) }
    })
  }

  #sample(s: number): Sample {
    const { samples, dictionary } = this.#profiles
    const { stacks } = dictionary
    const stack = samples.stack(s)
    const set = this.#setOf(s)
    const hasTime = samples.timestampsTo(s) > samples.timestampsFrom(s)
    const timestamp = hasTime ? Number(samples.timestamps.unsigned()[samples.timestampsFrom(s)]) : 0
    const at = samples.valuesFrom(s)
    const value = samples.values.hi(at) * 2 ** 32 + (samples.values.lo(at) >>> 0)
    return {
      row: { stack, value, set, timestamp },
      locations: Array.from(stacks.locations.slice(stacks.from(stack), stacks.to(stack)), row => this.#locations[row]),
      attributes: this.#setRows[set],
    }
  }

  #setOf(s: number): number {
    const { samples, dictionary } = this.#profiles
    const { attributes, strings } = dictionary
    const rows = samples.attributesOf(s)
    const key = rows.join()
    let set = this.sets.get(key)
    if (set === undefined) {
      this.sets.set(key, (set = this.sets.size))
      this.#setRows.push(
        rows.map(row => ({
          key: strings.text(attributes.key(row)),
          value: `${attributes.value(row) as string | bigint}`,
        })),
      )
    }
    return set
  }
}

/** The objects, arrays and strings of a decoded message. */
export function countAllocations(value: unknown): number {
  if (typeof value === 'string') return value === '' ? 0 : 1
  if (typeof value !== 'object' || value === null) return 0
  return Object.values(value).reduce<number>((sum, each) => sum + countAllocations(each), 1)
}
