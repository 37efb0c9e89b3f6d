// Properties of the folded format over generated profiles and texts.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ProfilesBuilder } from '../../model/build/builder.ts'
import { difference } from '../../model/compare/content-equal.ts'
import type { Profiles } from '../../model/columns/profiles.ts'
import { arbitraryProfiles } from '../../model/testing/arbitrary-profiles.ts'
import { validate } from '../../model/validate/validate.ts'
import { decodeUtf8, encodeUtf8 } from '../../wire/utf8.ts'
import type { WriteOptions } from '../format.ts'
import { FormatError } from '../format.ts'
import { readFolded } from './read.ts'
import { writeFolded } from './write.ts'

function read(text: string): Profiles {
  return readFolded(encodeUtf8(text)).profiles
}

function write(profiles: Profiles, options: WriteOptions = {}): string {
  const { bytes } = writeFolded(profiles, options)
  return decodeUtf8(bytes)
}

const name = fc.oneof(
  fc.constantFrom(
    'a',
    'b',
    'f 3',
    'x 1 k=v',
    'a=b',
    '#',
    ' #',
    '%41',
    'p%',
    'e_[k]',
    '_[i]',
    '-1',
    '5',
    'λ',
    '[unknown]',
  ),
  fc.string({ minLength: 1, maxLength: 12, unit: fc.constantFrom(...'ab ;#%=,\t_[k]\n7é\u0000\ufeff'.split('')) }),
)
const attribute = fc.tuple(fc.constantFrom('k', 'trace_id', 'span_id', 'a=b', 'c,d', ' '), fc.string({ maxLength: 5 }))
const sample = fc.record({
  stack: fc.array(name, { minLength: 1, maxLength: 4 }),
  attributes: fc.uniqueArray(attribute, { maxLength: 3, selector: ([key]) => key }),
  value: fc.bigInt({ min: -(2n ** 62n), max: 2n ** 62n }),
  time: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
  link: fc.integer({ min: 0, max: 255 }),
})

type Made = typeof sample extends fc.Arbitrary<infer S> ? S : never

function build(samples: readonly Made[], timed: boolean): Profiles {
  const b = new ProfilesBuilder()
  const times = samples.map(({ time }) => time)
  const first = times.reduce((a, c) => (c < a ? c : a), 2n ** 64n - 1n)
  const last = times.reduce((a, c) => (c > a ? c : a), 0n)
  const span = last - first + 1n
  b.profile({
    type: 'a type',
    unit: '%',
    ...(timed ? { timeUnixNano: first, durationNano: span >= 2n ** 64n ? 2n ** 64n - 1n : span } : {}),
  })
  const seen = new Set<string>()
  for (const { stack, attributes, value, time, link } of samples) {
    // Samples of one identity are read as one; see the tests above.
    const identity = JSON.stringify([stack, attributes, link])
    if (seen.has(identity)) continue
    seen.add(identity)
    const frames = stack.map(text => b.location({ lines: [{ function: b.function({ name: text }) }] })).reverse()
    b.sample({
      stack: b.stack(frames),
      link: b.link(new Uint8Array(16).fill(link), new Uint8Array(8).fill(link)),
      attributes: attributes.map(([key, text]) => b.attribute(key, text)),
      values: [value],
      ...(timed ? { timestamps: [time] } : {}),
    })
  }
  return b.build()
}

test('reads back unchanged from extended text', () => {
  fc.assert(
    fc.property(fc.array(sample, { minLength: 1, maxLength: 6 }), fc.boolean(), (samples, timed) => {
      // Sorted by key, because two orders of the same attributes are one identity.
      const sorted = samples.map(one => ({
        ...one,
        attributes: one.attributes.toSorted(([a], [b]) => (a < b ? -1 : 1)),
      }))
      const profiles = build(sorted, timed)
      expect(difference(read(write(profiles, { extended: true })), profiles)).toBeUndefined()
    }),
  )
})

test('reads back from plain text as the same text, sorted and with one line per stack', () => {
  fc.assert(
    fc.property(fc.array(sample, { maxLength: 6 }), samples => {
      const small = samples.map(one => ({ ...one, value: one.value % 1000n }))
      const text = write(build(small, false))
      expect(write(read(text))).toBe(text)
      // A byte order mark at the start belongs to the file. It protects a name that begins with one.
      const own = text.replace(/^\u{feff}/u, '')
      const lines = own.split('\n').filter(line => !/^$|^#/.test(line))
      expect(lines.map(line => encodeUtf8(line)).map(String)).toEqual(
        lines
          .map(line => encodeUtf8(line))
          .sort(compareBytes)
          .map(String),
      )
    }),
  )
})

test('any profile can be written, and the result can be read', () => {
  fc.assert(
    fc.property(arbitraryProfiles(), fc.boolean(), (profiles, extended) => {
      const { bytes, notes } = writeFolded(profiles, { extended })
      expect(notes.every(({ count }) => count > 0)).toBe(true)
      try {
        readFolded(bytes)
      } catch (error) {
        // Sums may exceed 64 bits, which text can hold and the model cannot.
        expect((error as FormatError).what).toMatch(/^the value of line \d+ does not fit in 64 bits$/)
      }
    }),
    { numRuns: 50 },
  )
})

test('any text is read, or rejected with its line', () => {
  const piece = fc.constantFrom(
    'a',
    ';',
    ' ',
    '1',
    '2.5',
    'k=v',
    '\n',
    '\r',
    '#',
    '-',
    'e',
    '_[i]',
    '%',
    ',',
    '\t',
    '\u0000',
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), pieces => {
      const text = pieces.join('')
      try {
        const profiles = read(text)
        expect(validate(profiles)).toEqual([])
      } catch (error) {
        expect(error).toBeInstanceOf(FormatError)
        expect((error as FormatError).what).toMatch(/line \d+/)
      }
    }),
  )
})

function compareBytes(a: Uint8Array, b: Uint8Array): number {
  for (let i = 0; i < Math.min(a.length, b.length); i++) if (a[i] !== b[i]) return a[i] - b[i]
  return a.length - b.length
}
