// Small texts: the examples of the document, the same with the tables that they omit, and other features of the form.
import { encodeUtf8 } from '../../../wire/utf8.ts'

export interface EventsTextFixture {
  readonly name: string
  readonly bytes: Uint8Array
}

/** The tables that the document omits: stacks 1 and 2 are main;first and main;second. */
function stacksOf(strings: number, first: string, second: string): { tables: string; strings: string } {
  return {
    tables: `
stacks: [ {}, { location_index: [1, 0] }, { location_index: [2, 0] } ]
locations: [ { line: { function_index: 0 line: 3 } }, { line { function_index: 1 } }, { line < function_index: 2, column: 7 > } ]
functions: [
  { name_string_uindex: ${strings} },
  { name_string_index: ${strings + 1} start_line: 0x10; },
  { name_string_uindex: ${strings + 2} }
]
`,
    strings: `"main", "${first}", "${second}"`,
  }
}

const aggregatedCpu = (tables = '', more = ''): string => `event_types: [
    { # index 0
        name_string_index: 1 # cpu_sample
        unit_string_index: 2 # ms
        default_value:     10 # each count stands for 10ms
    }
]
strings: [
    "",           # index 0
    "cpu_sample", # index 1
    "ms"          # index 2
    ${more}
]

events: [
    {
        event_type_index: 0
        stack_index:      1
        count:            2 # samples, so 20ms
    }
    {
        event_type_index: 0
        stack_index:      2
        count:            1
    },
]
${tables}`

const CLOCKS = `clocks: [
    { # index 0
        frequency :      1_000_000_000          # 1 cycle = 1 ns
        time_unix_nanos: 1_257_894_000_000_000_000
    }
]`

const timestampedCpu = (tables = '', more = ''): string => `event_types: [
    { # index 0
        name_string_index: 1
        unit_string_index: 2
        default_value:     10
        clock_id:          0
    }
]
${CLOCKS}
attributes: [
    { # index 0
        key_index: 4          # thread.id
        value: {int_value: 1} # 1
    },
    { # index 1
        key_index: 4,
        value: {int_value: 2}
    }
]
strings: [
    "",             # index 0
    "cpu_time",     # index 1
    "milliseconds", # index 2
    "unix_epoch",   # index 3
    "thread.id"     # index 4
    ${more}
]

events: [
    {
        event_type_index: 0
        stack_index: 1
        time:        10_500_000 # 10.5ms since clock start
        attributes:  [0]
    }
    {
        event_type_index: 0
        stack_index: 2
        time:        300_000 # 0.3ms since previous event
        attributes:  [1]
    },
    {
        event_type_index: 0
        stack_index: 1
        time:        9_200_000
        attributes:  [0]
    }
]
${tables}`

const offCpu = (tables = '', more = ''): string => `event_types: [
    { # index 0
        name_string_index: 1
        unit_string_index: 2
        default_value:     10
        clock_id:          0
    } 
    { # index 1
        name_string_index: 2
        clock_id:          0
    }
]
${CLOCKS}
attributes: [
    { # index 0
        key_index: 4
        value: {int_value: 1}
    },
    { # index 1
        key_index: 4,
        value: {int_value: 2}
    }
    { # index 2
        key_index: 5,
        value: {key_index: 6} # mutex
    }, # index 3
    {
        key_index: 5,
        value: {key_index: 7} # sleep
    }
]
strings: [
    "",             # index 0
    "cpu_sample",   # index 1
    "thread_state", # index 2
    "ms",           # index 3
    "thread.id",    # index 4
    "thread.state", # index 5
    "mutex",        # index 6
    "sleep",        # index 7
    ${more}
]

events: [
    {
        event_type_index: 0
        stack_index: 1
        time:        10_500_000
        attributes:  [0]
    }
    {
        event_type_index: 0
        stack_index: 2
        time:        300_000
        attributes: [1]
    },
    {
        event_type_index: 0
        stack_index: 1
        time:        9_200_000
        attributes:  [0]
    },
    {
        event_type_index: 1
        stack_index:      1
        time:             300_000_000
        duration:         50_000_500
        attributes:       [0, 2]
    },
    {
        event_type_index: 1
        stack_index:      1
        time:             5_000_000
        duration:         1_000_000_500
        attributes:       [1, 3]
    },
]
${tables}`

const memory = (tables = '', more = ''): string => `event_types: [
    { # index 0
        name_string_index: 1 # allocations
        unit_string_index: 3 # By (bytes)
    }
    { # index 1
        name_string_index: 2 # liveheap
        unit_string_index: 3
    }
]
strings: [
    "",              # index 0
    "allocations",   # index 1
    "liveheap",      # index 2
    "By"             # index 3
    ${more}
]

events: [
    {
        event_type_index: 0
        stack_index:     1
        count:           100
        sum:             4_800
    }
    {
        event_type_index: 1
        stack_index:      1
        count:            12
        sum:              576
    }
    {
        event_type_index: 0
        stack_index:      2
        count:            300
        sum:              76_800
    }
    {
        event_type_index: 1
        stack_index:      2
        count:            73
        sum:              18688
    }
]
${tables}`

/** Aggregates, samples with times of two clocks, intervals and both kinds of counts in one profile, with the proto's names. */
const everything = `# proto-message: Profile
events { event_type_index: 0 stack_index: 1 count: 2 }
events { event_type_index: 1 stack_index: 1 link_index: 0 attribute_indices: [0, 1] time: 24_000_001 }
events { event_type_index: 2 stack_index: 2 attribute_indices: 2 time: 5_000_000 duration: 1_000_000_500 }
events { event_type_index: 1 stack_index: 2 time: -4800 value: 7 }
events { event_type_index: 3 stack_index: 1 count: 100 sum: 4800 }
events { event_type_index: 2 stack_index: 2 attribute_indices: 2 time: 1 duration: 2 value: 64 count: 3 }
events { event_type_index: 4 stack_index: 1 time: 9 }
events { event_type_index: 4 stack_index: 1 time: 9 link_index: 1 }
events { event_type_index: 5 stack_index: 2 count: 12 }
events { event_type_index: 6 count: 4 }
events { event_type_index: 1 stack_index: 0 count: 9 }
event_types { name_string_index: 1 unit_string_index: 2 default_value: 10 }
event_types { name_string_index: 1 unit_string_index: 2 default_value: 10 clock_index: 1 }
event_types { name_string_index: 3 unit_string_index: 4 clock_index: 0 attribute_incidices: 3 }
event_types { name_string_index: 5 unit_string_index: 4 }
event_types { name_string_index: 6 clock_index: 0 }
event_types { name_string_index: 7 unit_string_index: 8 }
event_types { name_string_index: 7 unit_string_index: 4 }
event_types { name_string_index: 7 unit_string_index: 4 clock_index: 1 }
stacks {}
stacks { location_index: [1, 0] }
stacks { location_index: 2 location_index: 0 }
locations { line { function_index: 0 line: 12 column: 3 } address: 0xffff_ffff_ffff_ffff }
locations { line { function_index: 1 } line { function_index: 2 line: 7 } is_folded: true type_string_index: 9 mapping_index: 0 }
locations { address: 4096 attribute_index: [0] mapping_index: 1 }
functions { name_string_uindex: 10 system_name_string_index: 11 filename_string_index: 12 start_line: 9223372036854775807 }
functions { name_string_uindex: 11 }
functions {}
mappings { memory_start: 4096 memory_limit: 0xffffffffffffffff file_offset: 16 filename_string_index: 12 build_id_string_index: 13
  build_id_kind: BUILD_ID_BINARY_HASH attributes: [3] has_functions: true has_filenames: t has_inline_frames: True }
mappings { build_id_string_index: 14 }
attributes { key_string_index: 15 value { int_value: -9223372036854775808 } }
attributes { key_string_index: 16 value { array_value { values { string_index: 1 } values { bool_value: false } values {} } } }
attributes { key_string_index: 17 value { string_index: 18 } }
attributes { key_string_index: 16 value { kvlist_value { values { key_string_index: 15 value { double_value: -1.5e-3 } } } } }
attributes { key_string_index: 19 value { bytes_value: "\\000\\xff\\n" } }
attributes { key_string_index: 19 }
links { trace_id: "\\001\\002\\003\\004\\001\\002\\003\\004\\001\\002\\003\\004\\001\\002\\003\\004" span_id: "\\231\\231\\231\\231\\231\\231\\231\\231" }
links { trace_id: '0123456789abcdef' span_id: '01234567' }
strings: [ "", "cpu", "ms", "wait", "By", "alloc", "tick", "goroutine", "count", "python", "main", "_Z4main" "v", "/bin/app" ]
strings: "00112233445566778899aabbccddeeff"
strings: ["abc", "n", "k", "thread.state", 'na\\303\\257ve \\u2713 "q" \\U0001f525', "empty", "a comment"]
clocks { frequency: 1000 time_unix_nano: 1700000000000000000 }
clocks { frequency: 2_400_000_000 time_unix_nano: 1700000000000000001 attribute_indices: [2, 5] }
time_unix_nano: 1700000060000000000
duration_nanos: 60000000000
comment_string_index: [20, 2]
`

const cpu = stacksOf(3, 'serve_request', 'foo')
const timed = stacksOf(5, 'serve_request', 'foo')
const waiting = stacksOf(8, 'mutex_lock', 'sleep')
const heap = stacksOf(4, 'new_user', 'new_post')

const texts: Readonly<Record<string, string>> = {
  'an aggregated CPU profile, as in the document': aggregatedCpu(),
  'a timestamped CPU profile, as in the document': timestampedCpu(),
  'CPU and off-CPU, as in the document': offCpu(),
  'an aggregated memory profile, as in the document': memory(),
  'an aggregated CPU profile': aggregatedCpu(cpu.tables, `, ${cpu.strings}`),
  'a timestamped CPU profile': timestampedCpu(timed.tables, `, ${timed.strings}`),
  'CPU and off-CPU': offCpu(waiting.tables, waiting.strings),
  'an aggregated memory profile': memory(heap.tables, `, ${heap.strings}`),
  'all of these in one': everything,
}

export const fixtures: readonly EventsTextFixture[] = Object.entries(texts).map(([name, text]) => ({
  name,
  bytes: encodeUtf8(text),
}))
