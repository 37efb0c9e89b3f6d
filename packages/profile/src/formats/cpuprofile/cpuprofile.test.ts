// Reading and writing of V8's CPU profiles: values, timestamps, lines, nodes without hits.
import { describe, expect, test } from 'vitest'
import { difference } from '../../model/compare/content-equal.ts'
import type { Profiles } from '../../model/columns/profiles.ts'
import { frameName } from '../../model/text/frame-name.ts'
import { validate } from '../../model/validate/validate.ts'
import { decodeUtf8, encodeUtf8 } from '../../wire/utf8.ts'
import { FormatError } from '../format.ts'
import { otlp } from '../otlp/index.ts'
import { sampleLines } from '../testing/sample-lines.ts'
import { profileOf } from '../../analyze/testing/profile-of.ts'
import { cpuprofile } from './index.ts'
import { readCpuprofile } from './read.ts'
import { fixtures } from './testing/fixtures.ts'
import { writeCpuprofile } from './write.ts'

interface File {
  nodes: { id: number; callFrame: Record<string, unknown>; hitCount?: number; children?: number[] }[]
  startTime: number
  endTime: number
  samples: number[]
  timeDeltas: number[]
}

function fixture(name: string): Uint8Array {
  return fixtures.find(each => each.name === name)!.bytes
}

function fileOf(profiles: Profiles): File {
  const { bytes } = writeCpuprofile(profiles)
  return JSON.parse(decodeUtf8(bytes)) as File
}

/** `main:1:2;run:3:4 3+1@10,20` for each sample of a profile. */
function lines(payload: Profiles, profile: number): string[] {
  const { dictionary } = payload
  const { locations } = dictionary
  return sampleLines(payload, profile, location => {
    const k = locations.linesFrom(location)
    return `${frameName(dictionary, location, k)}:${locations.lines.line(k)}:${locations.lines.column(k)}`
  })
}

describe.each(fixtures)('$name', ({ bytes }) => {
  test('is valid, is detected and survives a round trip', () => {
    const { profiles } = readCpuprofile(bytes)
    expect(validate(profiles)).toEqual([])
    expect(cpuprofile.detect(bytes, '')).toBe('certain')
    const written = writeCpuprofile(profiles)
    expect(written.notes).toEqual([])
    const again = readCpuprofile(written.bytes).profiles
    expect(difference(again, profiles)).toBeUndefined()
    expect(writeCpuprofile(again).bytes).toEqual(written.bytes)
  })

  test('survives a round trip through OTLP', () => {
    const { profiles } = readCpuprofile(bytes)
    const carried = otlp.read!(otlp.write!(profiles, {}).bytes, {}).profiles
    const again = readCpuprofile(writeCpuprofile(carried).bytes).profiles
    expect(difference(again, profiles)).toBeUndefined()
  })
})

describe('reading', () => {
  test('a sample lasts until the next one, the last until the end, and hits are by line', () => {
    const { profiles } = readCpuprofile(fixture('nodes, samples and deltas'))
    const anonymous = '(anonymous):1:1'
    expect(lines(profiles, 0)).toEqual([
      `${anonymous} 1000000@163140600286000`,
      `${anonymous};parse:10:15 0+1250000+0@163140601286000,163140601286000,163140604536000`,
      '(program):0:0 900000@163140602536000',
      '(idle):0:0 1100000+4464000@163140603436000,163140605536000',
      '(garbage collector):0:0 1000000@163140604536000',
    ])
    expect(lines(profiles, 1)).toEqual([
      `${anonymous};parse:11:0 2@`,
      `${anonymous};parse:10:0 1@`,
      `${anonymous};never:41:3 0@`,
      '(program):0:0 1@',
      '(idle):0:0 2@',
      '(garbage collector):0:0 1@',
    ])
  })

  test('deltas that go backwards are sorted, each with its time', () => {
    const { profiles, notes } = readCpuprofile(fixture('deltas that go backwards'))
    expect(notes.map(({ code }) => code)).toEqual(['unordered-samples'])
    const file = fileOf(profiles)
    expect(file.timeDeltas.every(delta => delta >= 0)).toBe(true)
    let time = file.startTime
    const times = file.timeDeltas.map(delta => (time += delta))
    expect(times).toEqual([6000, 6500, 6650, 7000, 7750, 8650, 9650, 10650])
  })

  test('the old form has its start in seconds or as the first timestamp', () => {
    const { profiles, generation } = readCpuprofile(fixture('the old form'))
    expect(generation).toBe('head')
    expect(fileOf(profiles)).toMatchObject({
      startTime: 163140599286,
      samples: [2, 3, 3],
      timeDeltas: [0, 11575, 1060],
    })
    const shifted = readCpuprofile(fixture('the old form with its start among the timestamps')).profiles
    expect(fileOf(shifted)).toMatchObject({ startTime: 163140599000, timeDeltas: [286, 11575, 1060] })
  })

  test.each([
    ['{"nodes":[{"id":1,"children":[2]},{"id":2,"children":[1]}]}', 'a node is its own caller'],
    ['{"nodes":[{"id":1}],"startTime":1e30}', 'a time exceeds 64 bits'],
    ['{"samples":[]}', 'neither "nodes" nor "head"'],
    ['{"nodes":[{"id":1}', 'unexpected end of input'],
  ])('%s is rejected', (text, what) => {
    const read = (): unknown => readCpuprofile(encodeUtf8(text))
    expect(read).toThrow(FormatError)
    expect(read).toThrow(what)
  })

  test.each([
    ['{"nodes":[{"id":1,"children":[2]}],"samples":[]}', 'lost-children'],
    ['{"nodes":[{"id":1},{"id":1}]}', 'repeated-ids'],
    ['{"nodes":[{"id":1}],"samples":[7],"timeDeltas":[1]}', 'skipped-samples'],
  ])('%s is read with the note %s, because speedscope opens it', (text, code) => {
    expect(readCpuprofile(encodeUtf8(text)).notes.map(note => note.code)).toEqual([code])
  })

  test('the time of a sample without a node is not added to another', () => {
    const text =
      '{"nodes":[{"id":1,"callFrame":{"functionName":"a"}}],"samples":[1,9,1],"timeDeltas":[1,2,4],"endTime":10}'
    expect(lines(readCpuprofile(encodeUtf8(text)).profiles, 0)).toEqual(['a:0:0 2000+3000@1000,7000'])
  })

  test('deltas of null count as 0, and fractions of hits are rounded', () => {
    const node = '{"id":1,"callFrame":{"functionName":"a"},"hitCount":2.6}'
    const text = `{"nodes":[${node}],"samples":[1,1,1],"timeDeltas":[1,null,4],"endTime":10}`
    const { profiles } = readCpuprofile(encodeUtf8(text))
    expect(lines(profiles, 0)).toEqual(['a:0:0 0+4000+5000@1000,1000,5000'])
    expect(lines(profiles, 1)).toEqual(['a:0:0 3@'])
  })

  test('a broken file is read up to the damage with `lenient`', () => {
    const text = '{"nodes":[{"id":1,"callFrame":{"functionName":"a"}}],"samples":[1,9,1],"timeDeltas":[1,2,'
    const { profiles, notes } = readCpuprofile(encodeUtf8(text), { lenient: true })
    expect(notes.map(({ code }) => code)).toEqual(['truncated', 'skipped-samples', 'missing-times'])
    expect(profiles.samples.length).toBe(1)
  })

  test('15,000 nested nodes are read and written', () => {
    const depth = 15_000
    const open = '{"functionName":"f","hitCount":0,"children":['
    const bytes = encodeUtf8(`{"head":${open.repeat(depth)}${']}'.repeat(depth)},"samples":[]}`)
    const { profiles } = readCpuprofile(bytes)
    expect(profiles.dictionary.stacks.locations.length).toBe(depth)
  })
})

describe('writing', () => {
  test('totals without a time are placed one after another', () => {
    const { profiles } = profileOf(`
      1ms   2ms
      main  main
      run   gc`)
    const file = fileOf(profiles)
    expect(file.nodes.map(({ callFrame }) => callFrame['functionName'])).toEqual(['(root)', 'main', 'run', 'gc'])
    expect(file.samples.length).toBe(file.timeDeltas.length)
    expect(file.samples.length).toBeGreaterThan(1)
  })

  test('an unknown type is rejected', () => {
    const { profiles } = readCpuprofile(fixture('nodes, samples and deltas'))
    expect(() => writeCpuprofile(profiles, { type: 'heap' })).toThrow(RangeError)
  })
})

describe('string ids of nodes', () => {
  test('are read like numbers', () => {
    const text =
      '{"nodes":[{"id":"1","callFrame":{"functionName":"(root)"},"children":["2"]},{"id":"2","callFrame":{"functionName":"main"}}],"startTime":0,"endTime":20,"samples":["2",2],"timeDeltas":[0,10]}'
    const { profiles, notes } = readCpuprofile(encodeUtf8(text))
    expect(notes).toEqual([])
    expect(profiles.samples.length).toBe(1)
    expect(profiles.samples.timestamps.length).toBe(2)
  })

  test('must be numbers', () => {
    const text = '{"nodes":[{"id":"one","callFrame":{}}],"startTime":0,"endTime":20,"samples":[],"timeDeltas":[]}'
    expect(() => readCpuprofile(encodeUtf8(text))).toThrow('the id "one" is not a number')
  })
})
