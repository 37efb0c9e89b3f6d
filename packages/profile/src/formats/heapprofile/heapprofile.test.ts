// Reading and writing of V8's heap profiles.
import { describe, expect, test } from 'vitest'
import { difference } from '../../model/compare/content-equal.ts'
import { validate } from '../../model/validate/validate.ts'
import { decodeUtf8, encodeUtf8 } from '../../wire/utf8.ts'
import { profileOf } from '../../analyze/testing/profile-of.ts'
import { FormatError } from '../format.ts'
import { otlp } from '../otlp/index.ts'
import { heapprofile } from './index.ts'
import { readHeapprofile } from './read.ts'
import { fixtures } from './testing/fixtures.ts'
import { writeHeapprofile } from './write.ts'

function fixture(name: string): Uint8Array {
  return fixtures.find(each => each.name === name)!.bytes
}

describe.each(fixtures)('$name', ({ bytes }) => {
  test('is valid, is detected and survives a round trip', () => {
    const { profiles } = readHeapprofile(bytes)
    expect(validate(profiles)).toEqual([])
    expect(heapprofile.detect(bytes, '')).toBe('certain')
    const written = writeHeapprofile(profiles)
    expect(written.notes).toEqual([])
    const again = readHeapprofile(written.bytes).profiles
    expect(difference(again, profiles)).toBeUndefined()
    expect(writeHeapprofile(again).bytes).toEqual(written.bytes)
    const carried = otlp.read!(otlp.write!(profiles, {}).bytes, {}).profiles
    expect(difference(readHeapprofile(writeHeapprofile(carried).bytes).profiles, profiles)).toBeUndefined()
  })
})

describe('reading', () => {
  test('sizes are by node, zero for an empty leaf, with the sampled allocations beside them', () => {
    const { profiles } = readHeapprofile(fixture('with samples'))
    const values = [...profiles.samples.values.signed()]
    expect(values).toEqual([16400n, 32800n, 0n, 1894920n, 16400n, 16400n, 16400n])
    expect(profiles.profiles.length).toBe(2)
  })

  test('sizes beyond 2^53 are exact', () => {
    const { profiles } = readHeapprofile(fixture('a size beyond doubles'))
    expect(profiles.samples.total(0)).toBe(9007199254740993n)
  })

  test.each([
    ['{"samples":[]}', 'no "head"'],
    ['{"head":{"selfSize":1e30}}', 'a number exceeds 64 bits'],
    ['{"head":{"selfSize":1', 'unexpected end of input'],
  ])('%s is rejected', (text, what) => {
    const read = (): unknown => readHeapprofile(encodeUtf8(text))
    expect(read).toThrow(FormatError)
    expect(read).toThrow(what)
  })

  test.each([
    ['{"head":{"selfSize":1,"id":1,"children":[{"id":1}]}}', 'repeated-ids'],
    ['{"head":{"selfSize":1},"samples":[{"size":1,"nodeId":7,"ordinal":1}]}', 'skipped-samples'],
  ])('%s is read with the note %s', (text, code) => {
    expect(readHeapprofile(encodeUtf8(text)).notes.map(note => note.code)).toEqual([code])
  })

  test('a broken file is read up to the damage with `lenient`', () => {
    const { bytes } = { bytes: fixture('a tree alone') }
    const { profiles, notes } = readHeapprofile(bytes.subarray(0, bytes.length - 30), { lenient: true })
    expect(notes.map(({ code }) => code)).toEqual(['truncated'])
    expect(profiles.samples.length).toBeGreaterThan(1)
  })
})

test('profiles of other formats are written, and notes report the losses', () => {
  const { profiles } = profileOf(`
    1ms   2ms
    main  main
    run   gc`)
  const { bytes, notes } = writeHeapprofile(profiles)
  expect(notes.map(({ code }) => code)).toContain('type')
  const file = JSON.parse(decodeUtf8(bytes)) as {
    head: { callFrame: { functionName: string }; children: { children: unknown[] }[] }
  }
  expect(file.head.callFrame.functionName).toBe('(root)')
  expect(file.head.children[0].children.length).toBe(2)
})
