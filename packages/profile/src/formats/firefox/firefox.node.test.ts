// Firefox profiles of other tools, the same recording in three formats: read, detected by content alone, and written.
import { describe, expect, test } from 'vitest'
import { callTree } from '../../analyze/profile-tree.ts'
import type { Profiles } from '../../model/columns/profiles.ts'
import { corpus } from '../testing/corpora.node.ts'
import { firefox } from './index.ts'
import { readFirefox } from './read.ts'
import { writeFirefox } from './write.ts'

const files = corpus('firefox')

function names(profiles: Profiles): string[] {
  const tree = callTree(profiles, 0, { addresses: true })
  return Array.from(tree.frame, (frame, i) => `${tree.frames.name[frame].split(' ')[0]} ${tree.self[i]}`).sort()
}

describe.skipIf(files === undefined)('the firefox corpus', () => {
  test.each(files ?? [])('$name', ({ bytes }) => {
    expect(firefox.detect(bytes, '')).toBe('certain')
    const { profiles } = readFirefox(bytes)
    // Old files do not distinguish the two or three threads of as many processes.
    const threads = new Set(Array.from(profiles.samples.attributes.slice(0, profiles.samples.attributes.length)))
    expect(threads.size).toBeGreaterThan(1)
    const observations = profiles.samples.timestamps.length
    expect(observations % 7).toBe(0)
    const found = names(profiles).map(line => line.split(' ')[0])
    expect(found).toEqual(expect.arrayContaining(['(root)', 'Startup::XRE_Main', 'firefox+0x1a45', 'frobnicate']))
    const again = readFirefox(writeFirefox(profiles).bytes).profiles
    expect(names(again)).toEqual(names(profiles))
    expect(again.samples.timestamps.length).toBe(observations)
  })
})
