// Compares real profiles with dumps of pprof's own tools.
import { describe, expect, test } from 'vitest'
import { validate } from '../../model/validate/validate.ts'
import { decodeUtf8 } from '../../wire/utf8.ts'
import { FormatError } from '../format.ts'
import { corpus } from '../testing/corpora.node.ts'
import { detectLegacyPprof } from './detect.ts'
import { readLegacyPprof } from './read.ts'
import { dump } from './testing/dump.ts'

const files = corpus('pprof-legacy') ?? []
const malformed = corpus('pprof-malformed') ?? []

describe.skipIf(files.length === 0)('real profiles', () => {
  const cases = files
    .filter(({ name }) => name.endsWith('.string'))
    .map(oracle => ({ oracle, file: files.find(({ name }) => `${name}.string` === oracle.name)! }))

  test.each(cases)('$file.name matches its dump', ({ oracle, file }) => {
    const { profiles } = readLegacyPprof(file.bytes)
    expect(dump(profiles)).toBe(decodeUtf8(oracle.bytes))
    expect(validate(profiles)).toEqual([])
    expect(detectLegacyPprof(file.bytes)).toBe('certain')
  })

  test.each(malformed)('$name is rejected', ({ bytes }) => {
    expect(() => readLegacyPprof(bytes)).toThrow(FormatError)
  })
})
