// speedscope files of other tools: read, detected by content alone, and written to a file of Hearth's.
import { describe, expect, test } from 'vitest'
import { callTree } from '../../analyze/profile-tree.ts'
import { difference } from '../../model/compare/content-equal.ts'
import { validate } from '../../model/validate/validate.ts'
import { corpus } from '../testing/corpora.node.ts'
import { speedscope } from './index.ts'
import { readSpeedscope } from './read.ts'
import { writeSpeedscope } from './write.ts'

const files = corpus('speedscope')

describe.skipIf(files === undefined)('the speedscope corpus', () => {
  test.each(files ?? [])('$name', ({ bytes }) => {
    const { profiles } = readSpeedscope(bytes)
    expect(validate(profiles)).toEqual([])
    expect(speedscope.detect(bytes, '')).toBe('certain')
    const tree = callTree(profiles, 0)
    const scale = profiles.dictionary.strings.text(profiles.profiles.unit(0)) === 'count' ? 1 : 1e9
    const nodes = Array.from(tree.frame, (frame, i) => `${tree.frames.name[frame]} ${tree.self[i] / scale}`)
    expect(nodes).toEqual(['a 0', 'b 5', 'c 5', 'd 4'])
    const written = writeSpeedscope(profiles)
    expect(written.notes).toEqual([])
    expect(difference(readSpeedscope(written.bytes).profiles, profiles)).toBeUndefined()
  })
})
