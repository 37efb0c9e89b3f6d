// What V8's heap profiles become, and that they come back.
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
  test('is sound, is recognised and comes back', () => {
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
  test('sizes by node, zero where a leaf holds nothing, and the sampled allocations', () => {
    const { profiles } = readHeapprofile(fixture('with samples'))
    const values = [...profiles.samples.values.signed()]
    expect(values).toEqual([16400n, 32800n, 0n, 1894920n, 16400n, 16400n, 16400n])
    expect(profiles.profiles.length).toBe(2)
  })

  test('sizes are exact', () => {
    const { profiles } = readHeapprofile(fixture('a size beyond doubles'))
    expect(profiles.samples.total(0)).toBe(9007199254740993n)
  })

  test.each([
    ['{"samples":[]}', 'there is no "head"'],
    ['{"head":{"selfSize":1e30}}', 'a number is beyond 64 bits'],
    ['{"head":{"selfSize":1,"id":1,"children":[{"id":1}]}}', 'two nodes have the id 1'],
    ['{"head":{"selfSize":1},"samples":[{"size":1,"nodeId":7,"ordinal":1}]}', 'there is no node 7'],
    ['{"head":{"selfSize":1', 'unexpected end of input'],
  ])('%s is refused', (text, what) => {
    const read = (): unknown => readHeapprofile(encodeUtf8(text))
    expect(read).toThrow(FormatError)
    expect(read).toThrow(what)
  })

  test('a broken file is read as far as it goes if asked to', () => {
    const { bytes } = { bytes: fixture('a tree alone') }
    const { profiles, notes } = readHeapprofile(bytes.subarray(0, bytes.length - 30), { lenient: true })
    expect(notes.map(({ code }) => code)).toEqual(['truncated'])
    expect(profiles.samples.length).toBeGreaterThan(1)
  })
})

test('other profiles are written with what is lost', () => {
  const { profiles } = profileOf(`
    1ms   2ms
    main  main
    run   gc`)
  const { bytes, notes } = writeHeapprofile(profiles)
  expect(notes.map(({ code }) => code)).toContain('type')
  const file = JSON.parse(decodeUtf8(bytes, 0, bytes.length)) as {
    head: { callFrame: { functionName: string }; children: { children: unknown[] }[] }
  }
  expect(file.head.callFrame.functionName).toBe('(root)')
  expect(file.head.children[0].children.length).toBe(2)
})
