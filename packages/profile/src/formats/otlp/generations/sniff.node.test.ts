// Payloads of real profilers: their generation is detected, and they can be written as any other generation and read again.
import { describe, expect, test } from 'vitest'
import { difference } from '../../../model/compare/content-equal.ts'
import { corpus } from '../../testing/corpora.node.ts'
import { readOtlp } from '../read.ts'
import { GENERATIONS } from './schema.ts'
import { sniffGeneration } from './sniff.ts'
import { encodeGeneration } from '../testing/encode-generation.ts'

const files = corpus('otlp')

describe.skipIf(files === undefined)('the otlp corpus', () => {
  test('contains files', () => {
    expect(files?.length).toBeGreaterThan(0)
  })

  describe.each(files ?? [])('$name', ({ name, bytes }) => {
    // For example ebpf-v1.8.otlp.
    const generation = /v1\.\d+/.exec(name)?.[0]

    test('is detected with certainty', () => {
      expect(sniffGeneration(bytes, 0, bytes.length)).toMatchObject({ generation, certain: true })
    })

    test.each(GENERATIONS)('reads back the same after it was written as %s', target => {
      const { profiles } = readOtlp(bytes)
      const written = encodeGeneration(profiles, target)
      const { generation: found, certain } = sniffGeneration(written, 0, written.length)
      expect(certain).toBe(true)
      // Without the Collector's empty ids, v1.8 and v1.9 have the same bytes. So do v1.4 and v1.5 without attributes.
      const alike = { 'v1.8': 'v1.9', 'v1.4': 'v1.5' }
      expect([target, alike[target as keyof typeof alike]]).toContain(found)
      expect(difference(profiles, readOtlp(written).profiles)).toBeUndefined()
    })
  })
})
