import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { difference } from '../../model/compare/content-equal.ts'
import type { Profiles } from '../../model/columns/profiles.ts'
import { arbitrarySpec } from '../../model/testing/arbitrary-profiles.ts'
import { buildProfiles } from '../../model/testing/profiles-spec.ts'
import { richProfiles } from '../../model/testing/rich-profiles.ts'
import { findBadReference } from '../../model/validate/references.ts'
import { decodeUtf8, encodeUtf8 } from '../../wire/utf8.ts'
import { events } from '../events/index.ts'
import { withinProposal } from '../events/testing/within-proposal.ts'
import { FormatError } from '../format.ts'
import { codes, expectRejections } from '../testing/expect-format.ts'
import { encodeText } from './encode.ts'
import { eventsText } from './index.ts'
import { scalarOf } from './scalars.ts'
import { fixtures } from './testing/fixtures.ts'

const read = (text: string | Uint8Array, options = {}) =>
  eventsText.read!(typeof text === 'string' ? encodeUtf8(text) : text, options)
const write = (profiles: Profiles, pretty = false) => eventsText.write!(profiles, { pretty }).bytes

describe('readEventsText', () => {
  test.each(fixtures)('reads $name like the equivalent bytes, and back', ({ bytes }) => {
    const { profiles } = read(bytes)
    expect(eventsText.detect(bytes, '')).toBe('certain')
    expect(findBadReference(profiles)).toBeUndefined()
    const wire = events.write!(profiles, {})
    expect(difference(events.read!(wire.bytes, {}).profiles, profiles)).toBeUndefined()
    for (const pretty of [false, true]) {
      const text = write(profiles, pretty)
      expect(eventsText.detect(text, '')).toBe('certain')
      expect(difference(read(text).profiles, profiles)).toBeUndefined()
    }
  })

  test('accepts the names of the document and those of its proto', () => {
    const document = `event_types: [{ name_string_index: 1, clock_id: 0 }] clocks: [{ frequency: 1000, time_unix_nanos: 7 }]
      attributes: [{ key_index: 1 value: { key_index: 1 } }] strings: ["", "x"] events: [{ time: 5 attributes: [0] }]`
    const proto = `event_types { name_string_index: 1 clock_index: 0 } clocks { frequency: 1000 time_unix_nano: 7 }
      attributes { key_string_index: 1 value { string_index: 1 } } strings: "" strings: "x"
      events { time: 5 attribute_indices: 0 }`
    expect(encodeText(encodeUtf8(document), false).bytes.length).toBeGreaterThan(0)
    expect(difference(read(document).profiles, read(proto).profiles)).toBeUndefined()
    const misspelled = 'functions { name_string_uindex: 1 } event_types { attribute_incidices: [] } strings: ["", "x"]'
    expect(read(misspelled).profiles.profiles.length).toBe(1)
    expect(read(misspelled.replace('uindex', 'index').replace('incidices', 'indices')).profiles.profiles.length).toBe(1)
  })

  test('accepts every spelling of the text format', () => {
    const spellings = `
      # a comment
      event_types < name_string_index : 0x1; unit_string_index: 02, default_value: 0xFF ; >
      strings: ["", 'it''s' "\\x41\\101" "\\u00e9\\U0001F525", "a\\tb\\\\\\"\\'\\?"],
      events: [ { sum: 1_000 } , , { sum: 18446744073709551615 }, ]
      events: { count: 007 },
      attributes { key_string_index: 1 value: { double_value: -inf } }
      attributes { value { double_value: 1e3f } } attributes { value { double_value: .5 } } attributes { value { double_value: nan } }`
    const { profiles } = read(spellings)
    const { strings, attributes } = profiles.dictionary
    expect(strings.text(profiles.profiles.type(0))).toBe('itsAA\u00e9\u{1f525}')
    expect(strings.text(profiles.profiles.unit(0))).toBe('a\tb\\"\'?')
    expect([...profiles.samples.values.signed()]).toEqual([1000n, -1n, 7n * 255n])
    const values = Array.from({ length: attributes.length }, (_, i) => attributes.value(i as never))
    expect(values).toEqual(expect.arrayContaining([-Infinity, 1000, 0.5, NaN]))
  })

  test('skips a byte order mark', () => {
    expect(read(`\ufeffevent_types {} events { sum: 3 }`).profiles.samples.length).toBe(1)
    expect(eventsText.detect(encodeUtf8('\ufeffevents { }'), '')).toBe('certain')
  })

  const brokenCases: readonly [name: string, text: string, what: string, at: string][] = [
    ['an unknown field', 'events { speed: 5 }', 'Event has no field speed', 'speed'],
    [
      'a number that is too large',
      'events { stack_index: 4294967296 }',
      'stack_index: 4294967296 does not fit in uint32',
      '4294967296',
    ],
    ['a negative value of an unsigned field', 'events { sum: -1 }', 'sum: -1 does not fit in uint64', '-1'],
    ['a word for a number', 'events { sum: many }', 'sum: many is not an integer', 'many'],
    ['a number for a word', 'locations { is_folded: 2 }', 'is_folded: 2 is neither true nor false', '2'],
    ['an unterminated string', 'strings: "abc', 'string does not end on its line', '"'],
    ['an unknown escape', 'strings: "\\q"', 'unknown escape in a string', '\\q'],
    ['bytes that are not UTF-8', 'strings: "\\377"', 'string is not valid UTF-8', '"'],
    ['a list for a single field', 'events { sum: [1] }', 'sum is not a list', '['],
    ['an unterminated message', 'events { sum: 1', 'the text ends inside Event', ''],
    ['an unterminated list', 'strings: ["a"', 'the text ends inside the list strings', ''],
    ['brackets that do not match', 'events { sum: 1 >', 'expected the name of a field of Event', '>'],
    ['a missing colon', 'events { sum 1 }', 'expected ":" after sum', '1'],
    ['other text', 'main;run 5', 'Profile has no field main', 'main'],
    ['a control character', 'events { sum: 1 } \u0001', 'unexpected byte 0x01', '\u0001'],
  ]
  test.each(brokenCases)('rejects %s', (_, text, what, at) => {
    let error: unknown
    try {
      read(text)
    } catch (thrown) {
      error = thrown
    }
    expect(error).toBeInstanceOf(FormatError)
    const rejection = error as FormatError
    expect(rejection.what).toBe(what)
    expect(rejection.offset).toBe(at === '' ? text.length : text.indexOf(at))
    expect(rejection.path).toBe('line 1')
    // It is not an error in lenient mode.
    expect(read(text, { lenient: true }).notes.length).toBeGreaterThan(0)
  })

  test('reports errors of the content at their position in the text', () => {
    const text = 'event_types {}\nstacks {}\nevents { sum: 1 }\nevents { stack_index: 7 sum: 1 }\n'
    try {
      read(text)
      expect.unreachable()
    } catch (error) {
      expect(error).toMatchObject({ format: 'events-text', path: 'events[1]', offset: text.indexOf('stack_index') })
    }
  })

  test('reads the intact part of a truncated text', () => {
    const { bytes } = fixtures[6]
    for (let length = 0; length < bytes.length; length += 7) {
      const { profiles, notes } = read(bytes.subarray(0, length), { lenient: true })
      expect(findBadReference(profiles)).toBeUndefined()
      if (length > 20 && length < bytes.length - 400) expect(notes.length).toBeGreaterThan(0)
    }
    expect(codes(read(bytes.subarray(0, 100), { lenient: true }).notes)).toContain('truncated')
    const unknown = 'events { speed: { a: [1, 2] } sum: 3 wind: "a" "b" gust: -1 } event_types {}'
    const { profiles, notes } = read(unknown, { lenient: true })
    expect([...profiles.samples.values.signed()]).toEqual([3n])
    expect(notes).toContainEqual(expect.objectContaining({ code: 'unknown-fields', count: 3 }))
  })

  test('limits nesting', () => {
    const deep = `attributes { value ${'{ array_value { values '.repeat(400)}`
    expect(() => read(deep)).toThrow(/nested deeper than/)
  })
})

describe('scalarOf', () => {
  test('accepts separators only between digits', () => {
    expect(scalarOf('uint64', '1_257_894_000_000_000_000', false)).toBe(1_257_894_000_000_000_000n)
    expect(scalarOf('uint64', '0xffff_ffff', false)).toBe(0xffff_ffffn)
    expect(scalarOf('int64', '9223372036854775808', true)).toBe(-(2n ** 63n))
    expect(scalarOf('uint64', '1__0', false)).toBe('1__0 is not an integer')
    expect(scalarOf('uint64', '1.5', false)).toBe('1.5 is not an integer')
    expect(scalarOf('uint64', '089', false)).toBe('089 is not an integer')
    expect(scalarOf('BuildIdKind', 'BUILD_ID_BINARY_HASH', false)).toBe(1n)
    expect(Object.is(scalarOf('double', '0', true), -0)).toBe(true)
  })
})

describe('writeEventsText', () => {
  test('preserves everything except units of attributes', () => {
    fc.assert(
      fc.property(arbitrarySpec(), fc.boolean(), (spec, pretty) => {
        const profiles = buildProfiles(withinProposal(spec))
        expect(difference(read(write(profiles, pretty)).profiles, profiles)).toBeUndefined()
      }),
      { numRuns: 40 },
    )
  })

  test('adds the string of each index in pretty output', () => {
    const text = decodeUtf8(write(read(fixtures[4].bytes).profiles, true))
    expect(text).toMatch(/name_string_index: \d+ # cpu_sample\n/)
    expect(text).toContain('events {\n  stack_index: 1\n  count: 2\n}')
  })

  test('writes one line per entry otherwise', () => {
    const text = decodeUtf8(write(read(fixtures[4].bytes).profiles))
    expect(text).toContain('\nevents { stack_index: 1 count: 2 }\n')
    expect(text).toContain('\nstacks {}\n')
    expect(text.startsWith('# proto-file: ')).toBe(true)
  })

  test('notes what the proposal cannot represent', () => {
    expect(codes(eventsText.write!(richProfiles(), {}).notes)).toContain('attribute-units')
  })
})

describe('detectEventsText', () => {
  test.each([
    ['', 'no'],
    ['main;run 5', 'no'],
    ['{"events": []}', 'no'],
    ['events', 'no'],
    ['events: 5', 'no'],
    ['strings: ["a"]', 'possible'],
    ['strings: ["a"] events: [', 'certain'],
    ['# a comment\n\nclocks {', 'certain'],
    ['duration_nanos: 5 event_types: [', 'certain'],
    ['events;run 12', 'no'],
    ['time_unix_nano: 5', 'possible'],
  ])('returns for %j: %s', (text, confidence) => {
    expect(eventsText.detect(encodeUtf8(text), '')).toBe(confidence)
  })

  test('rejects binary files', () => {
    expect(eventsText.detect(events.write!(richProfiles(), {}).bytes, '')).toBe('no')
  })
})

test('readEventsText rejects broken input with an offset', () => {
  expectRejections(
    eventsText,
    fixtures.map(({ bytes }) => bytes),
  )
})
