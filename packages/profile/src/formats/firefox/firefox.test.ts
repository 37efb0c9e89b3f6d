// Reading and writing of Firefox profiles: threads, stacks, times and weights.
import { describe, expect, test } from 'vitest'
import { callTree } from '../../analyze/profile-tree.ts'
import { profileOf } from '../../analyze/testing/profile-of.ts'
import { ProfilesBuilder } from '../../model/build/builder.ts'
import { difference } from '../../model/compare/content-equal.ts'
import type { Profiles } from '../../model/columns/profiles.ts'
import { validate } from '../../model/validate/validate.ts'
import { decodeUtf8, encodeUtf8 } from '../../wire/utf8.ts'
import { FormatError } from '../format.ts'
import { fuzz } from '../testing/fuzz.ts'
import { firefox } from './index.ts'
import { readFirefox } from './read.ts'
import { fixtures } from './testing/fixtures.ts'
import { writeFirefox } from './write.ts'

const [gecko, nested, perThread, weighted] = fixtures.map(({ bytes }) => bytes)
const START = 1_700_000_000_123_456_000n

function tree(profiles: Profiles, profile = 0): string[] {
  const nodes = callTree(profiles, profile, { addresses: true })
  return Array.from(
    nodes.frame,
    (frame, i) => `${' '.repeat(nodes.depth[i])}${nodes.frames.name[frame]} ${nodes.self[i]}`,
  )
}

function typesOf({ profiles, dictionary }: Profiles): string[] {
  const text = dictionary.strings.text.bind(dictionary.strings)
  return Array.from({ length: profiles.length }, (_, i) => `${text(profiles.type(i))} ${text(profiles.unit(i))}`)
}

function attributesOf({ samples, dictionary }: Profiles, sample: number): string[] {
  const { attributes, strings } = dictionary
  return samples
    .attributesOf(sample)
    .map(row => `${strings.text(attributes.key(row))}=${String(attributes.value(row) as string | bigint)}`)
    .sort()
}

const edited = (bytes: Uint8Array, from: string | RegExp, to: string): Uint8Array => {
  const text = decodeUtf8(bytes)
  const changed = text.replace(from, () => to)
  if (changed === text) throw new Error(`no ${String(from)} in the fixture`)
  return encodeUtf8(changed)
}

describe('reading', () => {
  test('rows of Gecko are read', () => {
    const { profiles, notes, generation } = readFirefox(gecko)
    expect(generation).toBe('gecko')
    expect(tree(profiles)).toEqual(['(root) 0', ' firefox+0x234 1', '  draw 2', '[unknown] 1'])
    expect(
      Array.from(profiles.samples.timestamps.unsigned(), time => Number(time - START)).sort((a, b) => a - b),
    ).toEqual([500_000, 1_500_000, 2_000_001, 3_000_000])
    expect(profiles.profiles.time(0)).toBe(START)
    expect(profiles.profiles.duration(0)).toBe(4_000_000n)
    expect(profiles.profiles.period(0)).toBe(1_000_000n)
    expect(attributesOf(profiles, 0)).toEqual(['thread.id=101', 'thread.name=GeckoMain'])
    expect(profiles.resources.resource(0).attributes).toEqual([{ key: 'process.pid', value: 100n }])
    expect(notes).toEqual([expect.objectContaining({ code: 'markers', count: 2 })])
  })

  test('scripts have file, line and column', () => {
    const { dictionary } = readFirefox(gecko).profiles
    const { functions, locations, strings } = dictionary
    const files = Array.from({ length: functions.length }, (_, i) => strings.text(functions.filename(i as never)))
    const row = files.indexOf('https://example.com/a.js')
    expect(functions.startLine(row as never)).toBe(12n)
    const line = Array.from({ length: locations.lines.length }, (_, k) => k).find(
      k => locations.lines.function(k) === row,
    )!
    expect([locations.lines.line(line), locations.lines.column(line)]).toEqual([40n, 7n])
  })

  test('addresses relative to a library with a memory range become memory addresses', () => {
    const addresses = (bytes: Uint8Array): bigint[] => {
      const { locations } = readFirefox(bytes).profiles.dictionary
      return Array.from({ length: locations.length }, (_, i) => locations.address(i as never)).filter(one => one > 0n)
    }
    const relative = addresses(perThread)
    expect(relative.length).toBeGreaterThan(0)
    const placed = edited(
      perThread,
      '"breakpadId":"A1"',
      '"breakpadId":"A1","start":65536,"end":16777216,"offset":4096',
    )
    expect(addresses(placed)).toEqual(relative.map(one => one + 65_536n - 4096n))
  })

  test('each process is a resource', () => {
    const { profiles } = readFirefox(nested)
    const pids = Array.from(
      { length: profiles.resources.length },
      (_, i) => profiles.resources.resource(i).attributes[0].value,
    )
    expect(pids).toEqual([100n, 200n])
  })

  test('inlined frames are one location with their caller', () => {
    const { profiles, generation } = readFirefox(perThread)
    expect(generation).toBe('processed')
    expect(tree(profiles)).toEqual(['(root) 0', ' libxul.so+0x2000 1', ' outer 0', '  inner 1', '[unknown] 1'])
    const { stacks, locations } = profiles.dictionary
    const [leaf] = stacks.locations.slice(stacks.from(profiles.samples.stack(0)), stacks.to(profiles.samples.stack(0)))
    expect(locations.linesTo(leaf) - locations.linesFrom(leaf)).toBe(2)
  })

  test('weights are values in their unit', () => {
    const { profiles } = readFirefox(weighted)
    expect(typesOf(profiles)).toEqual(['time nanoseconds', 'memory bytes'])
    expect(Array.from(profiles.samples.values.signed())).toEqual([1_500_000n, 250_000n, 2_000_000n, -512n, 1024n])
    const times = Array.from(profiles.samples.timestamps.unsigned(), time => Number(time - START))
    expect(times).toEqual([1_000_000, 3_000_000, 6_250_000, 1_000_000, 2_000_000])
    expect(attributesOf(profiles, 3)).toEqual(['firefox.thread.id=a thread'])
  })

  test('stacks may give their prefix as a distance', () => {
    const bytes = edited(perThread, '"prefix":[null,0,1,0,0]', '"prefixOffset":[0,1,1,3,4]')
    expect(difference(readFirefox(bytes).profiles, readFirefox(perThread).profiles)).toBeUndefined()
  })

  test.each([
    ['a missing stack', '"stack":[2,3,null]', '"stack":[2,9,null]', 'missing-stacks', ['outer 0', '  inner 1']],
    ['a stack that extends itself', '[null,0,1,0,0]', '[null,0,2,0,0]', 'lost-callers', ['inner 1']],
    ['a missing frame', '"frame":[0,1,2,3,4]', '"frame":[0,1,7,3,4]', 'missing-frames', ['[unknown] 1']],
    ['a missing function', '"func":[0,1,2,3,4]', '"func":[0,1,2,33,4]', 'missing-names', ['0x2000 1']],
    ['a missing name', '"name":[0,1,2,3,4]', '"name":[0,1,2,-4,4]', 'missing-names', ['libxul.so+0x2000 1']],
  ])('%s leaves a gap in the stack, with a note', (_, from, to, code, lines) => {
    const { profiles, notes } = readFirefox(edited(perThread, from, to))
    expect(validate(profiles)).toEqual([])
    expect(notes).toContainEqual(expect.objectContaining({ code, count: 1 }))
    expect(tree(profiles).join('\n')).toContain(lines.join('\n'))
    expect(profiles.samples.timestamps.length).toBe(readFirefox(perThread).profiles.samples.timestamps.length)
  })

  test('weights of an unknown kind keep its name as unit', () => {
    const { profiles } = readFirefox(edited(perThread, '"weightType":"samples"', '"weightType":"stones"'))
    expect(typesOf(profiles)).toContain('samples stones')
  })

  test('child processes may be texts of JSON, among the processes or, in old versions, among the threads', () => {
    const text = JSON.stringify(decodeUtf8(gecko))
    const { profiles } = readFirefox(edited(gecko, '"threads":[', `"processes":[${text}],"threads":[${text},`))
    const once = readFirefox(gecko).profiles.samples.timestamps.length
    expect(profiles.samples.timestamps.length).toBe(3 * once)
    expect(tree(profiles)).toContain('  draw 6')
    const bad = edited(gecko, '"threads":[', '"threads":["{\\"threads\\":[",')
    expect(() => readFirefox(bad)).toThrow(/child process is not valid.*\(threads\[0\]\.\)/)
  })

  test('recordings of the developer tools contain a profile', () => {
    const head = '{"label":"a","duration":74.1,"markers":[{},{}],"frames":[],"memory":[],"ticks":[],"profile":'
    const bytes = encodeUtf8(`${head}${decodeUtf8(gecko)},"systemHost":{"name":"Firefox"}}`)
    expect(firefox.detect(bytes, '')).toBe('certain')
    expect(firefox.detect(bytes.subarray(0, 60), '')).toBe('possible')
    const { profiles, notes } = readFirefox(bytes)
    expect(difference(profiles, readFirefox(gecko).profiles)).toBeUndefined()
    expect(notes).toContainEqual(expect.objectContaining({ code: 'markers', count: 4 }))
  })

  test.each([
    ['no threads', '"threads"', '"treads"', /no list of threads/],
    ['samples without a version', /"samples":\{[^}]*\}/, '"samples":[{"frames":[]}]', /samples are a list of objects/],
    ['rows without a schema', /"samples":\{[^}]*\}/, '"samples":{"data":[[1,2]]}', /a table has rows but no schema/],
  ])('refuses %s', (_, from, to, message) => {
    expect(() => readFirefox(edited(perThread, from, to))).toThrow(message)
    expect(() => readFirefox(edited(perThread, from, to))).toThrow(FormatError)
  })

  test('a chain of stacks that expands to billions of frames is rejected', () => {
    const count = 40_000
    const rows = Array.from({ length: count }, (_, i) => i)
    const table = JSON.stringify({ length: count, prefix: [undefined, ...rows.slice(0, -1)], frame: rows.map(() => 0) })
    const many = edited(perThread, '{"length":5,"prefix":[null,0,1,0,0],"frame":[0,1,2,3,4]}', table)
    const samples = JSON.stringify({ stack: rows, time: rows })
    const start = decodeUtf8(many)
    const bytes = encodeUtf8(start.replace(/"samples":\{[^}]*\}/, `"samples":${samples}`))
    expect(() => readFirefox(bytes)).toThrow(/expand to more than/)
  })

  test('a truncated file is read up to its end with `lenient`', () => {
    const cut = nested.subarray(0, nested.length - 200)
    expect(() => readFirefox(cut)).toThrow(FormatError)
    const { profiles, notes } = readFirefox(cut, { lenient: true })
    expect(tree(profiles)[0]).toBe('(root) 0')
    expect(notes.map(({ code }) => code)).toContain('truncated')
  })
})

describe('writing', () => {
  test.each(fixtures)('reads back the same: $name', ({ name, bytes }) => {
    const { profiles } = readFirefox(bytes)
    expect(validate(profiles)).toEqual([])
    const written = writeFirefox(profiles)
    const again = readFirefox(written.bytes).profiles
    const lost = name.startsWith('gecko') ? ['mapping-places'] : []
    expect(written.notes.map(({ code }) => code)).toEqual(lost)
    if (lost.length === 0) expect(difference(again, profiles)).toBeUndefined()
    for (let i = 0; i < profiles.profiles.length; i++) expect(tree(again, i)).toEqual(tree(profiles, i))
    expect(writeFirefox(again).bytes).toEqual(written.bytes)
  })

  test('sums do not become samples with times', () => {
    const { profiles } = profileOf(`\n 30ns  20ns\n main  main\n run   idle`)
    const { bytes, notes } = writeFirefox(profiles)
    expect(notes.map(({ code }) => code)).toEqual(['no-timestamps'])
    expect(difference(readFirefox(bytes).profiles, profiles)).toBeUndefined()
  })

  test('addresses and values beyond 2^53 stay exact', () => {
    const builder = new ProfilesBuilder()
    builder.profile({ type: 'cycles', unit: 'cycles' })
    const location = builder.location({
      address: 2n ** 64n - 4096n,
      lines: [{ function: builder.function({ name: 'do_idle' }), line: 2n ** 60n + 1n }],
    })
    builder.sample({ stack: builder.stack([location]), values: [2n ** 63n - 1n], timestamps: [2n ** 60n + 1n] })
    const profiles = builder.build()
    const { bytes } = writeFirefox(profiles)
    const again = readFirefox(bytes).profiles
    expect(Array.from(again.samples.values.signed())).toEqual([2n ** 63n - 1n])
    expect(Array.from(again.samples.timestamps.unsigned())).toEqual([2n ** 60n + 1n])
    expect(again.dictionary.locations.address(1 as never)).toBe(2n ** 64n - 4096n)
    expect(again.dictionary.locations.lines.line(0)).toBe(2n ** 60n + 1n)
  })
})

test('the format is detected by content', () => {
  for (const { bytes } of fixtures) expect(firefox.detect(bytes, '')).toBe('certain')
  expect(firefox.detect(encodeUtf8('{"meta":{"version":1},"traceEvents":[]}'), 'a.json')).toBe('no')
  expect(firefox.detect(encodeUtf8('{"threads":[{"name":"x"}]}'), '')).toBe('no')
})

test('broken input is rejected with a typed error', () => {
  const corpus = fixtures.map(({ bytes }) => bytes)
  expect(fuzz(firefox, corpus, 1, runs => runs < 300).failure).toBeUndefined()
})

describe('files of Cleopatra', () => {
  const symbolicationTable = { 0: '(root)', 1: 'draw (in libxul.so)', 2: 'tick (https://example.com/a.js:12)' }
  const sample = (frames: readonly number[], time?: number): object => ({
    frames,
    extraInfo: time === undefined ? {} : { time },
  })
  const samples = [sample([0, 1], 5), sample([0, 2]), sample([0, 1], 9)]
  const file = (profileJSON: object, format = 'profileJSONWithSymbolicationTable,1'): Uint8Array =>
    encodeUtf8(
      JSON.stringify({ format, meta: { interval: 2, startTime: 1_400_000_000_000 }, profileJSON, symbolicationTable }),
    )

  test.each([
    ['with threads', { threads: { 0: { name: 'GeckoMain', samples, markers: [{ name: 'x', time: 1 }] } } }],
    ['with one list of samples', samples],
  ])('are read %s', (_, profileJSON) => {
    const bytes = file(profileJSON)
    expect(firefox.detect(bytes, '')).toBe('certain')
    const { profiles } = readFirefox(bytes)
    expect(tree(profiles)).toEqual(['(root) 0', ' draw (in libxul.so) 2', ' tick 1'])
    expect(attributesOf(profiles, 0)).toContain('thread.name=GeckoMain')
    const times = Array.from(profiles.samples.timestamps.unsigned()).toSorted((a, b) => Number(a - b))
    expect(times).toEqual([5n, 7n, 9n].map(ms => (1_400_000_000_000n + ms) * 1_000_000n))
  })

  test('are rejected with the position of the fault', () => {
    expect(() => readFirefox(file([{ frames: 7 }]))).toThrow(/expected an array.*at byte \d+/)
    expect(firefox.detect(file([], 'another'), '')).toBe('no')
  })
})
