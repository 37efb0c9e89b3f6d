import fc from 'fast-check'
import { expect, test } from 'vitest'
import { buildTree } from './build-tree.ts'
import { FrameTrie } from './frame-trie.ts'

const paths = fc.array(
  fc.tuple(fc.array(fc.nat(3), { minLength: 1, maxLength: 8 }), fc.oneof(fc.integer({ min: 1, max: 5 }), fc.nat(1e9))),
  { minLength: 1, maxLength: 60 },
)

test('buildTree gives the same tree with and without the fast path for plain weights', () => {
  fc.assert(
    fc.property(
      paths,
      fc.array(fc.array(fc.nat(3), { minLength: 1, maxLength: 8 })),
      fc.nat(80),
      (list, others, rest) => {
        const trie = new FrameTrie()
        const nodes = Int32Array.from(list, ([path]) => trie.insert(Int32Array.from(path), 0, path.length))
        // Nodes of other queries.
        for (const path of others) trie.insert(Int32Array.from(path), 0, path.length)
        const weight = Float64Array.from(list, ([, value]) => value + 1)
        const exact = BigInt64Array.from(list, ([, value]) => BigInt(value + 1))
        const options = { maxNodes: rest + 1, compareFrames: (a: number, b: number) => a - b }
        const plain = buildTree(trie, [{ nodes, weight, exact: undefined }], options)
        const other = buildTree(trie, [{ nodes, weight, exact }], options)
        const { columns: plainColumns, ...plainRest } = plain
        const { columns: otherColumns, ...otherRest } = other
        expect(plainRest).toEqual(otherRest)
        expect(plainColumns[0].self).toEqual(otherColumns[0].self)
        expect(plainColumns[0].total).toEqual(otherColumns[0].total)
        // Runs again, because both paths reuse shared memory.
        expect(buildTree(trie, [{ nodes, weight, exact: undefined }], options)).toEqual(plain)
      },
    ),
    { numRuns: 100 },
  )
})
