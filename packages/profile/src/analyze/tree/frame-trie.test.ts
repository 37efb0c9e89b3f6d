import { expect, test } from 'vitest'
import { NONE } from '../../model/columns/brand.ts'
import { FrameTrie } from './frame-trie.ts'

function insert(trie: FrameTrie, ...path: number[]): number {
  return trie.insert(Int32Array.from(path), 0, path.length)
}

test('FrameTrie numbers each distinct path in order of appearance', () => {
  const trie = new FrameTrie()
  expect(insert(trie, 7, 8, 9)).toBe(2)
  expect(insert(trie, 7, 5)).toBe(3)
  expect(insert(trie, 7, 8, 9)).toBe(2)
  expect(insert(trie, 7)).toBe(0)
  expect(insert(trie, 8)).toBe(4)
  expect(trie.length).toBe(5)
  expect([0, 1, 2, 3, 4].map(i => trie.parent(i))).toEqual([NONE, 0, 1, 0, NONE])
  expect([0, 1, 2, 3, 4].map(i => trie.frame(i))).toEqual([7, 8, 9, 5, 8])
  expect([trie.child(NONE, 8), trie.child(0, 5), trie.child(1, 9)]).toEqual([4, 3, 2])
  expect([trie.nearest(2, 7), trie.nearest(2, 5)]).toEqual([0, NONE])
})

test('FrameTrie inserts a part of a buffer', () => {
  const trie = new FrameTrie()
  expect(trie.insert(Int32Array.of(1, 2, 3, 4), 1, 3)).toBe(1)
  expect([trie.frame(0), trie.frame(1)]).toEqual([2, 3])
})

// The trie is so wide that the index of later children is rebuilt several times and its slots collide.
test('FrameTrie finds thousands of children of many parents', () => {
  const trie = new FrameTrie()
  const nodes = new Map<string, number>()
  for (let round = 0; round < 2; round++) {
    for (let i = 0; i < 12_000; i++) {
      const path = [i % 7, i % 130, (i * 37) % 1900]
      const node = insert(trie, ...path)
      const key = path.join('/')
      expect(nodes.get(key) ?? node).toBe(node)
      nodes.set(key, node)
    }
  }
  expect(new Set(nodes.values()).size).toBe(nodes.size)
  for (const [key, node] of nodes) {
    const above = trie.parent(node)
    expect([trie.frame(trie.parent(above)), trie.frame(above), trie.frame(node)].join('/')).toBe(key)
  }
  for (let node = 0; node < trie.length; node++) expect(trie.child(trie.parent(node), trie.frame(node))).toBe(node)
})
