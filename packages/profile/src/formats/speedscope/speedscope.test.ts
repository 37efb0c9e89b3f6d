// Reading and writing of speedscope files: observations, times and names.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { profileOf } from '../../analyze/testing/profile-of.ts'
import { ProfilesBuilder } from '../../model/build/builder.ts'
import { difference } from '../../model/compare/content-equal.ts'
import type { Profiles } from '../../model/columns/profiles.ts'
import { ATTRIBUTES } from '../../model/attributes/semantic-conventions.ts'
import { validate } from '../../model/validate/validate.ts'
import { decodeUtf8, encodeUtf8 } from '../../wire/utf8.ts'
import { folded } from '../folded/index.ts'
import { FormatError } from '../format.ts'
import { fuzz } from '../testing/fuzz.ts'
import { speedscope } from './index.ts'
import { readSpeedscope } from './read.ts'
import { evented, fixture, fixtures } from './testing/fixtures.ts'
import { writeSpeedscope } from './write.ts'

const frames = [{ name: 'a' }, { name: 'b' }, { name: 'c' }, { name: 'd' }]
const file = (...profiles: object[]): Uint8Array => fixture({ shared: { frames }, profiles })

const sampled = (extra: object): object => ({
  type: 'sampled',
  name: 'x',
  unit: 'nanoseconds',
  startValue: 0,
  endValue: 100,
  ...extra,
})

/** Observations of a profile as `stack value@time`, in the order of times. */
function observations({ samples, profiles, dictionary }: Profiles, profile = 0): string[] {
  const rows: string[] = []
  for (let i = profiles.samplesFrom(profile); i < profiles.samplesTo(profile); i++) {
    const stack = dictionary.stacks.locations
      .slice(dictionary.stacks.from(samples.stack(i)), dictionary.stacks.to(samples.stack(i)))
      .map(location => {
        const line = dictionary.locations.linesFrom(location)
        return dictionary.strings.text(dictionary.functions.name(dictionary.locations.lines.function(line)))
      })
    const values = samples.values.signed()
    const times = samples.timestamps.unsigned()
    const from = samples.timestampsFrom(i)
    const valued = samples.valuesTo(i) > samples.valuesFrom(i)
    for (let k = 0; k < samples.observations(i); k++) {
      const value = valued ? values[samples.valuesFrom(i) + k] : 1n
      const time = samples.timestampsTo(i) > from ? `@${times[from + k]}` : ''
      rows.push(`${stack.reverse().join(';')} ${value}${time}`)
      stack.reverse()
    }
  }
  return rows.sort((a, b) => Number(a.split('@')[1] ?? 0) - Number(b.split('@')[1] ?? 0))
}

interface SpeedscopeFile {
  readonly shared: { readonly frames: readonly object[] }
  readonly profiles: readonly { readonly name: string; readonly samples: readonly number[][] }[]
}

const json = (bytes: Uint8Array): SpeedscopeFile => JSON.parse(decodeUtf8(bytes)) as SpeedscopeFile

function stacksOf(profiles: Profiles): string {
  const { bytes } = folded.write!(profiles, {})
  return decodeUtf8(bytes)
}

describe('reading', () => {
  test('events become the stacks between them, with their times', () => {
    const { profiles } = readSpeedscope(file(evented()))
    expect(observations(profiles)).toEqual(['a;b;c 2000000@0', 'a;b;d 4500000@2000000', 'a;b 7500000@6500000'])
    expect(profiles.profiles.duration(0)).toBe(14_000_000n)
  })

  test('weights are times, and empty stacks are gaps', () => {
    const bytes = file(
      sampled({ unit: 'microseconds', startValue: 2, samples: [[0, 1], [], [0]], weights: [1, 0.5, 3] }),
    )
    expect(observations(readSpeedscope(bytes).profiles)).toEqual(['a;b 1000@2000', 'a 3000@3500'])
  })

  test('values in other units are summed by stack', () => {
    const { profiles, notes } = readSpeedscope(
      file(sampled({ unit: 'bytes', samples: [[0], [1], [0]], weights: [1, 2, 4] })),
    )
    expect(observations(profiles)).toEqual(['a 5', 'b 2'])
    expect(notes.map(({ code }) => code)).toEqual(['order'])
  })

  test('fractions in other units are scaled, and the unit shows it', () => {
    const { profiles } = readSpeedscope(file(sampled({ unit: 'none', samples: [[0], [1]], weights: [1.5, 0.125] })))
    expect(observations(profiles)).toEqual(['a 1500', 'b 125'])
    expect(profiles.dictionary.strings.text(profiles.profiles.unit(0))).toBe('count/1000')
  })

  test('integers beyond 2^53 stay exact', () => {
    const text = JSON.stringify({
      shared: { frames },
      profiles: [sampled({ unit: 'none', samples: [[0]], weights: [7] })],
    })
    const big = text.replace('"weights":[7]', '"weights":[9223372036854775807]')
    expect(observations(readSpeedscope(encodeUtf8(big)).profiles)).toEqual(['a 9223372036854775807'])
    expect(() => readSpeedscope(encodeUtf8(big.replace('807]', '808]')))).toThrow(/exceeds 64 bits/)
  })

  test('sums beyond 64 bits are read, because only times have a limit', () => {
    const text = JSON.stringify({
      shared: { frames },
      profiles: [sampled({ unit: 'none', samples: [[0], [1]], weights: [7, 7], endValue: 8 })],
    })
    const big = text.replaceAll('7', '9223372036854775807').replace(':8}', ':18446744073709551614}')
    const values = ['a 9223372036854775807', 'b 9223372036854775807']
    expect(observations(readSpeedscope(encodeUtf8(big)).profiles)).toEqual(values)
  })

  test('times below zero are shifted', () => {
    const { profiles, notes } = readSpeedscope(file(sampled({ startValue: -5, samples: [[0]], weights: [3] })))
    expect(observations(profiles)).toEqual(['a 3@0'])
    expect(notes.map(({ code }) => code)).toContain('negative-times')
  })

  const open = (frame: number, at: number): object => ({ type: 'O', frame, at })
  const close = (frame: number, at: number): object => ({ type: 'C', frame, at })
  const odd: readonly (readonly [string, object, readonly string[], string])[] = [
    [
      'frames that are never closed',
      { events: [open(0, 0), open(1, 3)], endValue: 5 },
      ['a 3', 'a;b 2'],
      'unclosed-frames=2',
    ],
    [
      'frames that close before the frames inside them',
      { events: [open(0, 0), open(1, 1), close(0, 3), close(1, 4), open(2, 4), close(2, 5)] },
      ['a 1', 'a;b 2', 'c 1'],
      'early-ends=1 unmatched-ends=1',
    ],
    ['events of other types', { events: [{ type: 'X' }, open(0, 1), close(0, 3)] }, ['a 2'], 'other-events=1'],
    [
      'frames that do not exist',
      { events: [open(0, 0), open(9, 0), close(9, 2), close(0, 2)] },
      ['a;[unknown] 2'],
      'missing-frames=2',
    ],
  ]
  test.each(odd)('keeps %s, with a note', (_, fields, rows, codes) => {
    const { profiles, notes } = readSpeedscope(file(evented({ unit: 'none', startValue: 0, ...fields })))
    expect(stacksOf(profiles).trim().split('\n')).toEqual(rows)
    const counts = notes.filter(({ code }) => code !== 'order').map(({ code, count }) => `${code}=${count}`)
    expect(counts.join(' ')).toBe(codes)
  })

  test('keeps unknown units, frames without a name, fractional lines and weights that are NaN, as speedscope does', () => {
    const bytes = fixture({
      shared: {
        frames: [
          { file: 'x.c', line: 3.4 },
          { name: 'b', line: Number.NaN, col: '7' },
        ],
      },
      profiles: [{ type: 'odd' }, sampled({ unit: 'parsecs', samples: [[0], [1]], weights: [4, Number.NaN] })],
    })
    const { profiles, notes } = readSpeedscope(bytes)
    const { strings, locations } = profiles.dictionary
    expect(observations(profiles)).toEqual([' 4', 'b 0'])
    expect(strings.text(profiles.profiles.unit(0))).toBe('parsecs')
    expect(locations.lines.line(0)).toBe(3n)
    expect(notes).toContainEqual(expect.objectContaining({ code: 'skipped-profiles', count: 1 }))
  })

  const broken: readonly (readonly [string, object, RegExp])[] = [
    ['fewer weights', sampled({ samples: [[0], [1]], weights: [1] }), /more samples than weights/],
    ['fewer samples', sampled({ samples: [], weights: [1] }), /more weights than samples/],
    ['kind', { type: 'odd' }, /evented or sampled, not "odd"/],
    [
      'order',
      evented({
        events: [
          { type: 'O', frame: 0, at: 3 },
          { type: 'C', frame: 0, at: 2 },
        ],
      }),
      /earlier than the event before/,
    ],
    ['no list', sampled({}), /without samples and weights/],
  ]
  test.each(broken)('a broken file is rejected: %s', (_, profile, message) => {
    expect(() => readSpeedscope(file(profile))).toThrow(message)
    expect(() => readSpeedscope(file(profile))).toThrow(FormatError)
  })

  test('a truncated file is read up to its end with `lenient`', () => {
    const whole = file(sampled({ samples: [[0]], weights: [3] }), evented())
    const cut = whole.subarray(0, whole.length - 60)
    expect(() => readSpeedscope(cut)).toThrow(FormatError)
    const { profiles, notes } = readSpeedscope(cut, { lenient: true })
    expect(profiles.profiles.length).toBe(2)
    expect(observations(profiles, 1)[0]).toBe('a;b;c 2000000@0')
    expect(notes.map(({ code }) => code)).toContain('truncated')
  })
})

describe('writing', () => {
  test.each(fixtures)('reads back the same: $name', ({ bytes }) => {
    const { profiles } = readSpeedscope(bytes)
    expect(validate(profiles)).toEqual([])
    const written = writeSpeedscope(profiles)
    expect(written.notes.filter(({ code }) => code !== 'empty-stack')).toEqual([])
    const again = readSpeedscope(written.bytes).profiles
    if (written.notes.length === 0) expect(difference(again, profiles)).toBeUndefined()
    expect(stacksOf(again)).toEqual(stacksOf(profiles))
    expect(writeSpeedscope(again).bytes).toEqual(written.bytes)
  })

  test('sums do not become times', () => {
    const { profiles } = profileOf(`
      30ns  20ns
      main  main
      run   idle`)
    const { bytes } = writeSpeedscope(profiles)
    expect(json(bytes).profiles[0]).toMatchObject({
      unit: 'nanoseconds',
      endValue: 50,
      samples: [
        [0, 1],
        [0, 2],
      ],
      weights: [30, 20],
    })
    expect(difference(readSpeedscope(bytes).profiles, profiles)).toContain('profile.name')
    expect(observations(readSpeedscope(bytes).profiles)).toEqual(['main;run 30', 'main;idle 20'])
  })

  test('times keep the gaps between them', () => {
    const { bytes } = writeSpeedscope(profileOf(`\n 30@100ns  20@140ns\n a         b`).profiles)
    expect(json(bytes).profiles[0]).toMatchObject({
      startValue: 100,
      endValue: 160,
      samples: [[0], [], [1]],
      weights: [30, 10, 20],
    })
  })

  test('overlapping times are dropped with a note', () => {
    const { bytes, notes } = writeSpeedscope(profileOf(`\n 30@100ns  20@120ns\n a         b`).profiles)
    expect(notes.map(({ code }) => code)).toContain('timestamps')
    expect(observations(readSpeedscope(bytes).profiles)).toEqual(['a 30', 'b 20'])
  })

  test('each thread is a profile', () => {
    const builder = new ProfilesBuilder()
    builder.profile({ type: 'wall', unit: 'ns' })
    const stack = builder.stack([builder.location({ lines: [{ function: builder.function({ name: 'f' }) }] })])
    for (const id of [7n, 8n]) {
      const attributes = [
        builder.attribute(ATTRIBUTES.threadId, id),
        builder.attribute(ATTRIBUTES.threadName, `t${id}`),
      ]
      builder.sample({ stack, attributes, values: [5, 6], timestamps: [10, 20] })
    }
    const { bytes, notes } = writeSpeedscope(builder.build())
    expect(json(bytes).profiles.map(profile => profile.name)).toEqual(['wall t7 7', 'wall t8 8'])
    expect(notes.map(({ code }) => code)).toContain('split-by-thread')
    const { profiles } = readSpeedscope(bytes)
    expect(profiles.profiles.length).toBe(2)
    const { attributes, strings } = profiles.dictionary
    const texts = profiles.samples
      .attributesOf(1)
      .map(row => `${strings.text(attributes.key(row))}=${String(attributes.value(row) as string | bigint)}`)
    expect(texts.sort()).toEqual(['thread.id=8', 'thread.name=t8'])
    expect(strings.text(profiles.profiles.type(0))).toBe('wall')
    expect(strings.text(profiles.profiles.unit(0))).toBe('ns')
  })

  test('negative values, which speedscope rejects, are skipped', () => {
    const { bytes, notes } = writeSpeedscope(profileOf(`\n 30  -20\n a   b`).profiles)
    expect(notes).toEqual([expect.objectContaining({ code: 'negative-values', count: 1 })])
    expect(json(bytes).profiles[0]).toMatchObject({ samples: [[0]], weights: [30] })
  })

  test('inlined calls are frames, root first', () => {
    const { profiles } = profileOf(`\n 1\n main[a.c:3]\n ^inner[b.h:9]\n (lib.so@0x10)`)
    const { bytes } = writeSpeedscope(profiles)
    expect(json(bytes).shared.frames).toEqual([
      { name: 'main', file: 'a.c', line: 3 },
      { name: 'inner', file: 'b.h', line: 9 },
      { name: 'lib.so+0x10' },
    ])
    expect(json(bytes).profiles[0].samples).toEqual([[0, 1, 2]])
  })

  test('all times that do not overlap survive a round trip', () => {
    const item = fc.record({ gap: fc.nat(50), length: fc.nat(50), name: fc.constantFrom('a', 'b') })
    fc.assert(
      fc.property(fc.array(item, { minLength: 1, maxLength: 20 }), fc.bigInt(0n, 2n ** 62n), (items, start) => {
        const builder = new ProfilesBuilder()
        builder.profile({ type: 'time', unit: 'nanoseconds' })
        let now = start
        for (const { gap, length, name } of items) {
          now += BigInt(gap)
          const location = builder.location({ lines: [{ function: builder.function({ name }) }] })
          builder.sample({ stack: builder.stack([location]), values: [length], timestamps: [now] })
          now += BigInt(length)
        }
        const profiles = builder.build()
        const again = readSpeedscope(writeSpeedscope(profiles).bytes).profiles
        expect(observations(again).sort()).toEqual(observations(profiles).sort())
      }),
    )
  })
})

test('the format is detected by content', () => {
  for (const { bytes } of fixtures) expect(speedscope.detect(bytes, '')).toBe('certain')
  expect(speedscope.detect(encodeUtf8('{"profiles":[{"type":"cpu"}]}'), 'a.speedscope.json')).toBe('no')
  expect(speedscope.detect(encodeUtf8('{"resourceProfiles":[]}'), '')).toBe('no')
})

test('broken input is rejected with a typed error', () => {
  const corpus = fixtures.map(({ bytes }) => bytes)
  expect(fuzz(speedscope, corpus, 1, runs => runs < 300).failure).toBeUndefined()
})
