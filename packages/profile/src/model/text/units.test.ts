import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { canonicalUnit, conversion, parseUnit, type UnitKind } from './units.ts'

// Canonical spelling, kind, pprof spelling, and all other spellings of the unit.
const SPELLINGS: readonly (readonly [ucum: string, kind: UnitKind, pprof: string, others: readonly string[]])[] = [
  ['ps', 'time', 'picoseconds', ['picosecond']],
  ['ns', 'time', 'nanoseconds', ['nanosecond', 'Nanoseconds', 'NANOSECONDS', 'nanos', 'nsec', 'NS', ' ns ', 'ns{cpu}']],
  ['us', 'time', 'microseconds', ['microsecond', '\u00b5s', '\u03bcs', 'micros', 'usec', 'usecs']],
  ['ms', 'time', 'milliseconds', ['millisecond', 'millis', 'msec', 'MS']],
  ['s', 'time', 'seconds', ['second', 'sec', 'secs', 'Sec']],
  ['min', 'time', 'minutes', ['minute', 'mins', 'Min']],
  ['h', 'time', 'hours', ['hour', 'hr', 'hrs']],
  ['d', 'time', 'days', ['day', 'Days']],
  ['wk', 'time', 'weeks', ['week']],
  ['ks', 'time', 'ks', []],
  ['Ms', 'time', 'Ms', []],
  ['Gs', 'time', 'Gs', []],
  ['By', 'bytes', 'bytes', ['byte', 'Bytes', 'B', 'b', 'By{resident}']],
  ['KiBy', 'bytes', 'kilobytes', ['kb', 'KB', 'kB', 'Kb', 'kbytes', 'kilobyte', 'KiB', 'kib', 'kibibytes']],
  ['MiBy', 'bytes', 'megabytes', ['mb', 'MB', 'mbyte', 'megabyte', 'MiB', 'mebibytes']],
  ['GiBy', 'bytes', 'gigabytes', ['gb', 'GB', 'gbytes', 'GiB']],
  ['TiBy', 'bytes', 'terabytes', ['tb', 'TB', 'TiB']],
  ['PiBy', 'bytes', 'petabytes', ['pb', 'PB', 'PiB']],
  ['EiBy', 'bytes', 'EiBy', ['EiB', 'exbibytes']],
  ['kBy', 'bytes', 'kBy', ['kBy{x}']],
  ['MBy', 'bytes', 'MBy', []],
  ['GBy', 'bytes', 'GBy', []],
  ['TBy', 'bytes', 'TBy', []],
  ['PBy', 'bytes', 'PBy', []],
  ['EBy', 'bytes', 'EBy', []],
  ['bit', 'bytes', 'bits', ['Bits']],
  ['kbit', 'bytes', 'kilobits', ['kbits', 'Kbit']],
  ['Mbit', 'bytes', 'megabits', ['Mbits']],
  ['Gbit', 'bytes', 'gigabits', ['gigabit']],
  ['Kibit', 'bytes', 'kibibits', []],
  ['Mibit', 'bytes', 'mebibits', []],
  ['Gibit', 'bytes', 'gibibits', []],
  ['mHz', 'frequency', 'millihertz', []],
  ['Hz', 'frequency', 'hertz', ['hz', '1/s', '/s', 's-1']],
  ['kHz', 'frequency', 'kilohertz', ['KHz']],
  ['MHz', 'frequency', 'megahertz', ['Mhz', 'mhz', 'MHZ']],
  ['GHz', 'frequency', 'gigahertz', ['Ghz']],
  ['{ratio}', 'ratio', 'ratio', ['fraction', '1{ratio}']],
  ['%', 'ratio', 'percent', ['Percent', '%{cpu}']],
  ['[ppm]', 'ratio', 'ppm', []],
  ['1', 'count', 'count', ['{count}', 'counts', 'Count', '{}', '1{}', 'none', 'unit']],
  ['{samples}', 'count', 'samples', ['sample', '{sample}', 'Samples', '{Samples}', '1{samples}']],
  ['{objects}', 'count', 'objects', ['object', '{object}']],
  ['{goroutines}', 'count', 'goroutines', ['goroutine']],
  ['{contentions}', 'count', 'contentions', ['contention']],
  ['{cycles}', 'count', 'cycles', ['{cycle}']],
  ['{zebras}', 'count', '{zebras}', ['1{zebras}']],
  // A count of things called bytes is not a size. Without its braces it would become one in pprof.
  ['{bytes}', 'count', '{bytes}', []],
]
const KNOWN = SPELLINGS.map(([ucum]) => ucum)

describe('parseUnit', () => {
  test.each(SPELLINGS)('recognises every spelling of %s', (ucum, kind, pprof, others) => {
    for (const text of [ucum, pprof, ...others]) {
      expect({ text, ...parseUnit(text) }).toMatchObject({ text, ucum, kind, pprof })
    }
  })

  test.each([
    '',
    'GCU',
    'microGCU',
    'furlongs',
    'S',
    'H',
    'D',
    'm',
    'KBy',
    'By/s',
    '{a',
    'a}',
    '{a}{b}',
    '{{a}}',
    '{a}b',
  ])('keeps %j unchanged', text => {
    expect(parseUnit(text)).toEqual({ kind: 'unknown', ucum: text, pprof: text, numerator: 1n, denominator: 1n })
  })

  test('keeps the white space of unknown units and does not mistake object members for units', () => {
    expect(parseUnit(' GCU ').ucum).toBe(' GCU ')
    expect(parseUnit('__proto__').kind).toBe('unknown')
    expect(parseUnit('constructor').kind).toBe('unknown')
  })

  test('treats a unit of a million characters as unknown, or as a count in braces', () => {
    const long = 'x'.repeat(1_000_000)
    expect(parseUnit(long).kind).toBe('unknown')
    expect(parseUnit(`{${long}}`).kind).toBe('count')
  })

  test('returns spellings that parse to the same unit', () => {
    const pieces = fc.constantFrom(...KNOWN, 'nanoseconds', 'KB', '{', '}', '1', ' ', 's', 'GCU', '/')
    const text = fc.oneof(
      fc.string(),
      fc.array(pieces, { maxLength: 3 }).map(parts => parts.join('')),
    )
    fc.assert(
      fc.property(text, unit => {
        const once = parseUnit(unit)
        expect(parseUnit(once.ucum)).toEqual(once)
        expect(parseUnit(once.pprof)).toEqual(once)
      }),
      { numRuns: 1000 },
    )
  })
})

test('canonicalUnit makes spellings comparable and distinguishes counts of different things', () => {
  expect(canonicalUnit('nanoseconds')).toBe(canonicalUnit('ns'))
  expect(canonicalUnit('samples')).not.toBe(canonicalUnit('objects'))
  expect(canonicalUnit('kB')).not.toBe(canonicalUnit('kBy'))
  expect(canonicalUnit('GCU')).not.toBe(canonicalUnit('gcu'))
})

describe('conversion', () => {
  test.each([
    ['s', 'ns', 1_000_000_000n, 1n],
    ['ns', 's', 1n, 1_000_000_000n],
    ['ps', 'us', 1n, 1_000_000n],
    ['min', 'h', 1n, 60n],
    ['wk', 'd', 7n, 1n],
    ['d', 'h', 24n, 1n],
    ['Gs', 'Ms', 1000n, 1n],
    ['ks', 's', 1000n, 1n],
    ['KB', 'By', 1024n, 1n],
    ['kBy', 'By', 1000n, 1n],
    ['KiBy', 'kBy', 128n, 125n],
    ['EBy', 'PBy', 1000n, 1n],
    ['EiBy', 'PiBy', 1024n, 1n],
    ['By', 'bit', 8n, 1n],
    ['Mbit', 'kbit', 1000n, 1n],
    ['Gibit', 'MiBy', 128n, 1n],
    ['Kibit', 'bit', 1024n, 1n],
    ['MHz', 'Hz', 1_000_000n, 1n],
    ['mHz', 'Hz', 1n, 1000n],
    ['%', '{ratio}', 1n, 100n],
    ['[ppm]', '%', 1n, 10_000n],
    ['samples', 'count', 1n, 1n],
    ['GCU', 'GCU', 1n, 1n],
  ])('converts %s to %s', (from, to, numerator, denominator) => {
    expect(conversion(from, to)).toEqual({ numerator, denominator })
    expect(conversion(parseUnit(from), parseUnit(to))).toEqual({ numerator, denominator })
  })

  test.each([
    ['ns', 'By'],
    ['samples', 'objects'],
    ['GCU', 'count'],
    ['GCU', 'gcu'],
    ['', 'count'],
    ['%', '1'],
    ['Hz', 's'],
    ['{bytes}', 'bytes'],
  ])('does not convert %j to %j', (from, to) => {
    expect(conversion(from, to)).toBeUndefined()
    expect(conversion(to, from)).toBeUndefined()
  })
})

describe('conversion of all known units', () => {
  const unit = fc.constantFrom(...KNOWN)

  test('is reflexive, invertible and transitive within a kind', () => {
    fc.assert(
      fc.property(unit, unit, unit, (a, b, c) => {
        expect(conversion(a, a)).toEqual({ numerator: 1n, denominator: 1n })
        const ab = conversion(a, b)
        const ba = conversion(b, a)
        expect(ba).toEqual(ab && { numerator: ab.denominator, denominator: ab.numerator })
        const bc = conversion(b, c)
        const ac = conversion(a, c)
        if (ab === undefined || bc === undefined || ac === undefined) return
        expect(ac.numerator * ab.denominator * bc.denominator).toBe(ac.denominator * ab.numerator * bc.numerator)
      }),
      { numRuns: 1000 },
    )
  })
})
