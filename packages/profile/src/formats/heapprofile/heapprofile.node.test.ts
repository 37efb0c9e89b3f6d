// Heap profiles that V8 captured. All nodes and sizes of the files are read, and survive a round trip.
import { describe, expect, test } from 'vitest'
import { difference } from '../../model/compare/content-equal.ts'
import { validate } from '../../model/validate/validate.ts'
import { decodeUtf8 } from '../../wire/utf8.ts'
import { corpus } from '../testing/corpora.node.ts'
import { heapprofile } from './index.ts'
import { readHeapprofile } from './read.ts'
import { writeHeapprofile } from './write.ts'

const files = corpus('heapprofile')

interface Node {
  readonly selfSize: number
  readonly children: readonly Node[]
}

function measure(bytes: Uint8Array): { nodes: number; size: number } {
  const { head } = JSON.parse(decodeUtf8(bytes)) as { head: Node }
  const open = [head]
  let nodes = 0
  let size = 0
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    nodes++
    size += node.selfSize
    open.push(...node.children)
  }
  return { nodes, size }
}

describe.skipIf(files === undefined)('the heapprofile corpus', () => {
  test.each(files ?? [])('$name', ({ bytes }) => {
    const { profiles } = readHeapprofile(bytes)
    expect(validate(profiles)).toEqual([])
    expect(heapprofile.detect(bytes.subarray(0, 1 << 16), '')).toBe('certain')
    const written = writeHeapprofile(profiles)
    expect(written.notes).toEqual([])
    expect(difference(readHeapprofile(written.bytes).profiles, profiles)).toBeUndefined()
    expect(measure(written.bytes)).toEqual(measure(bytes))
  })
})
