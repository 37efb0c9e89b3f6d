// Profiles that V8 captured. All samples, times and nodes of the files are read, and survive a round trip.
import { describe, expect, test } from 'vitest'
import { difference } from '../../model/compare/content-equal.ts'
import { validate } from '../../model/validate/validate.ts'
import { decodeUtf8 } from '../../wire/utf8.ts'
import { corpus } from '../testing/corpora.node.ts'
import { cpuprofile } from './index.ts'
import { readCpuprofile } from './read.ts'
import { writeCpuprofile } from './write.ts'

const files = corpus('cpuprofile')

interface Flat {
  readonly nodes?: readonly { id: number; hitCount: number; callFrame: Readonly<Record<string, unknown>> }[]
  readonly samples: readonly number[]
  readonly timeDeltas: readonly number[]
}

function parsed(bytes: Uint8Array): Flat {
  return JSON.parse(decodeUtf8(bytes)) as Flat
}

/** Each sample as its frame, without the ids of nodes. */
function sampled({ nodes = [], samples }: Flat): string[] {
  const keys = ['functionName', 'scriptId', 'url', 'lineNumber', 'columnNumber']
  const byId = new Map(nodes.map(({ id, callFrame }) => [id, JSON.stringify(keys.map(key => callFrame[key]))]))
  return samples.map(id => byId.get(id) ?? '')
}

describe.skipIf(files === undefined)('the cpuprofile corpus', () => {
  test.each(files ?? [])('$name', ({ bytes }) => {
    const { profiles } = readCpuprofile(bytes)
    expect(validate(profiles)).toEqual([])
    expect(cpuprofile.detect(bytes.subarray(0, 1 << 16), '')).toBe('certain')
    const written = writeCpuprofile(profiles)
    expect(written.notes).toEqual([])
    expect(difference(readCpuprofile(written.bytes).profiles, profiles)).toBeUndefined()
    const before = parsed(bytes)
    const after = parsed(written.bytes)
    expect(after.samples.length).toBe(before.samples.length)
    if (before.nodes === undefined) return
    expect(after.nodes?.length).toBe(before.nodes.length)
    if (before.timeDeltas.some(delta => delta <= 0)) return
    expect(after.timeDeltas).toEqual(before.timeDeltas)
    expect(sampled(after)).toEqual(sampled(before))
  })
})
