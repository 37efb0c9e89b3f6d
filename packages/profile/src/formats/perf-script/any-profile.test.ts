// Properties of the text for generated profiles: it can always be read back, is stable, and loses nothing unless a note
// reports it.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { AttributeIndex } from '../../model/columns/brand.ts'
import { ProfilesBuilder } from '../../model/build/builder.ts'
import { highHalf } from '../../model/columns/int64.ts'
import { difference } from '../../model/compare/content-equal.ts'
import type { Profiles } from '../../model/columns/profiles.ts'
import { ATTRIBUTES } from '../../model/attributes/semantic-conventions.ts'
import { arbitraryProfiles } from '../../model/testing/arbitrary-profiles.ts'
import { validate } from '../../model/validate/validate.ts'
import { decodeUtf8, encodeUtf8 } from '../../wire/utf8.ts'
import { FormatError } from '../format.ts'
import { timeFields } from '../recordings/event-samples.ts'
import { openRecording, PERF_ATTRIBUTES } from '../recordings/perf-recording.ts'
import { frameTypeOf } from './frame-type.ts'
import { readPerfScript } from './read.ts'
import { writePerfScript } from './write.ts'

function check(profiles: Profiles): void {
  const written = writePerfScript(profiles)
  const text = decodeUtf8(written.bytes)
  const again = readPerfScript(written.bytes, { lenient: profiles.profiles.length === 0 }).profiles
  expect(validate(again)).toEqual([])
  if (written.notes.length === 0) expect(difference(again, profiles)).toBeUndefined()
  const { bytes } = writePerfScript(again)
  expect(decodeUtf8(bytes)).toBe(text)
}

test('any profile can be written and read back', () => {
  fc.assert(fc.property(arbitraryProfiles(), check), { numRuns: 60 })
})

test('a Unicode line separator stays part of a name', () => {
  const builder = new ProfilesBuilder()
  openRecording(builder, {})
  builder.profile({ type: 'a\u2028b', unit: 'count', periodType: 'a\u2028b', periodUnit: 'count', period: 10_000_000n })
  builder.sample({ stack: builder.stack([]), values: [1n] })
  check(builder.build())
})

test('sums beyond 64 bits are written the same for any order of values', () => {
  const [most, least] = [2n ** 63n - 1n, -(2n ** 63n)]
  const value = fc.oneof(fc.constantFrom(most, most - 1n, least, least + 1n, 1n, -1n, 0n), fc.bigInt(least, most))
  fc.assert(
    fc.property(fc.array(value, { minLength: 1, maxLength: 6 }), values => {
      const builder = new ProfilesBuilder()
      builder.profile({ type: 'x', unit: 'nanoseconds' })
      const stack = builder.stack([builder.location({ lines: [{ function: builder.function({ name: 'main' }) }] })])
      for (const each of values) builder.sample({ stack, values: [each] })
      const profiles = builder.build()
      check(profiles)
      const { samples } = readPerfScript(writePerfScript(profiles).bytes).profiles
      const sum = Array.from({ length: samples.length }, (_, i) => samples.total(i)).reduce((a, b) => a + b, 0n)
      expect(sum).toBe(values.reduce((a, b) => a + b, 0n))
    }),
  )
})

/** Names that could be mistaken for columns of the text. */
const tricky = fc.constantFrom(
  'a',
  'dead',
  'cc',
  'a b',
  ' a',
  '#a',
  '5',
  '5/6',
  'x 5 [001] 7.8: b',
  '1.5',
  '1.5:',
  ':7',
  '(x)',
  'f(int) (y)',
  ')(',
  'inlined',
  '(inlined)',
  '[unknown]',
  'f+0x10',
  'a\nb',
  'a\tb',
  'é λ',
  '',
  '[vdso]',
  'x.ko',
)
const name = fc.oneof(tricky, fc.string({ maxLength: 10 }))
const frame = fc.record({
  address: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
  file: name,
  lines: fc.array(fc.record({ name, source: name, line: fc.integer({ min: -1, max: 99 }) }), { maxLength: 3 }),
  offset: fc.option(fc.bigInt({ min: 0n, max: 2n ** 32n - 1n }), { nil: undefined }),
})
const sample = fc.record({
  frames: fc.array(frame, { maxLength: 3 }),
  thread: fc.option(name, { nil: undefined }),
  pid: fc.option(fc.integer({ min: 0, max: 9 }), { nil: undefined }),
  tid: fc.option(fc.integer({ min: 0, max: 9 }), { nil: undefined }),
  cpu: fc.option(fc.integer({ min: 0, max: 2000 }), { nil: undefined }),
  value: fc.bigInt({ min: -(2n ** 61n), max: 2n ** 61n }),
  time: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
})
type GeneratedSample = typeof sample extends fc.Arbitrary<infer S> ? S : never

function given<T>(value: T | undefined): T[] {
  return value === undefined ? [] : [value]
}

/** The identity of a sample: everything except values and times. Two samples must not share it. */
function identity({ frames, thread, pid, tid, cpu }: GeneratedSample): string {
  return JSON.stringify([frames, thread, pid, tid, cpu], (_key, value: unknown) =>
    typeof value === 'bigint' ? `${value}n` : value,
  )
}

function build(samples: readonly GeneratedSample[], timed: boolean, valued: boolean, type: string): Profiles {
  const b = new ProfilesBuilder()
  openRecording(b, {})
  const times = samples.map(({ time }) => time).sort((a, c) => (a < c ? -1 : 1))
  const range = { first: times[0], last: times[times.length - 1] }
  const attributes = timed ? [b.attribute(PERF_ATTRIBUTES.clock, 'perf')] : []
  b.profile({ type, unit: 'count', attributes, ...(timed ? timeFields(range) : {}) })
  for (const { frames, thread, pid, tid, cpu, value, time } of samples) {
    const stack = b.stack(
      frames.map(({ address, file, lines, offset }) =>
        b.location({
          address,
          mapping: b.mapping({ filename: file }),
          lines: lines.map(line => ({
            function: b.function({ name: line.name, filename: line.source }),
            line: line.line,
          })),
          attributes: [
            ...(offset === undefined ? [] : [b.attribute(PERF_ATTRIBUTES.symbolOffset, offset)]),
            ...given(frameTypeOf(file, highHalf(address))).map(kind => b.attribute(ATTRIBUTES.frameType, kind)),
          ],
        }),
      ),
    )
    const attributes: AttributeIndex[] = []
    if (thread !== undefined) attributes.push(b.attribute(ATTRIBUTES.threadName, thread))
    if (pid !== undefined) attributes.push(b.attribute(ATTRIBUTES.processPid, BigInt(pid)))
    if (tid !== undefined) attributes.push(b.attribute(ATTRIBUTES.threadId, BigInt(tid)))
    if (cpu !== undefined) attributes.push(b.attribute(ATTRIBUTES.cpuLogicalNumber, BigInt(cpu)))
    b.sample({ stack, attributes, ...(valued ? { values: [value] } : {}), ...(timed ? { timestamps: [time] } : {}) })
  }
  return b.build()
}

test.each([
  [true, true],
  [true, false],
  [false, true],
])('names that look like columns survive, timed %s, valued %s', (timed, valued) => {
  let unchanged = 0
  fc.assert(
    fc.property(fc.uniqueArray(sample, { minLength: 1, maxLength: 6, selector: identity }), name, (samples, type) => {
      const profiles = build(samples, timed, valued, type)
      const written = writePerfScript(profiles)
      const again = readPerfScript(written.bytes).profiles
      if (written.notes.length === 0) {
        unchanged++
        expect(difference(again, profiles)).toBeUndefined()
      }
      const second = writePerfScript(again)
      expect(decodeUtf8(second.bytes)).toBe(decodeUtf8(written.bytes))
    }),
    { numRuns: 150 },
  )
  // At least some names must be unchanged, otherwise the test would check nothing.
  expect(unchanged).toBeGreaterThan(0)
})

test('any text is either read or rejected with an offset', () => {
  const piece = fc.constantFrom(
    'a 1 ',
    '2.5: ',
    '[001] ',
    'cycles: ',
    '7 ',
    '\t1f f ',
    '(/x)',
    '\n',
    '\n\n',
    '# ',
    'event : name = ',
    '+0x1',
    '(inlined)',
    '  a.c:5',
    'PERF_RECORD_LOST lost 5',
    '-',
    '/',
    ':',
    ' ',
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), pieces => {
      const bytes = encodeUtf8(pieces.join(''))
      for (const lenient of [false, true]) {
        try {
          expect(validate(readPerfScript(bytes, { lenient }).profiles)).toEqual([])
        } catch (error) {
          if (!(error instanceof FormatError)) throw error
          expect(error.offset).toBeLessThanOrEqual(bytes.length)
        }
      }
    }),
    { numRuns: 300 },
  )
})
