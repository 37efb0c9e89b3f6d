// Tests trees with attribute values at their root. Transforms and tables of functions ignore these nodes.
import type { CallTree } from '@hearth/profile'
import { applyTransform, findPath, invert, matchedPart, searchFrames, threadsIn, topOfTree } from '@hearth/profile'
import { describe, expect, test } from 'vitest'
import { boxText } from './describe.ts'
import { coloursOf, threadColour } from './box-colours.ts'
import { shown, treeOfFolded, treeOfThreads } from '../../../../profile/src/analyze/testing/tree-of.ts'

// A thread has the same name as a function.
const TEXT = `
  main: main;run;gc 4
  main: main;idle 2
  worker: main;run 3
  : main;run;gc 1`
const tree = treeOfThreads(TEXT)

test('topOf lists only functions', () => {
  const { frames, frame, self, total } = topOfTree(tree)
  expect(Array.from(frame, (f, i) => `${frames.name[f]} ${self[i]} ${total[i]}`)).toEqual([
    'gc 5 5',
    'run 3 8',
    'idle 2 2',
    'main 0 10',
  ])
})

test('matchFrames searches only functions', () => {
  const { matches, count } = searchFrames(tree.frames, { text: 'main' })
  expect(count).toBe(1)
  expect(matchedPart(tree, matches)).toEqual({ nodes: 3, total: 10n })
  expect(searchFrames(tree.frames, { text: 'worker' }).count).toBe(0)
})

test('boxText names the attribute of a root', () => {
  expect(boxText(tree, 0)).toBe('thread.name = main, 6, 60.0% of total, self 0')
  expect(boxText(tree, findPath(tree, ['(no thread.name)']).node)).toMatch(/^\(no thread\.name\), 1, /)
  expect(boxText(tree, 1)).toMatch(/^main, 6, /)
})

describe('transforms', () => {
  test('focus keeps the attribute roots above the function', () => {
    const focused = applyTransform(tree, { kind: 'focus-function', function: { name: 'run' } })
    expect(shown(focused)).toEqual([
      'main 4',
      '  run 4',
      '    gc 4 self 4',
      'worker 3',
      '  run 3 self 3',
      '(no thread.name) 1',
      '  run 1',
      '    gc 1 self 1',
    ])
  })

  test('merge and drop apply to the function, not to the thread of the same name', () => {
    const merged = applyTransform(tree, { kind: 'merge-function', function: { name: 'main' } })
    expect(shown(merged).slice(0, 4)).toEqual(['main 6', '  run 4', '    gc 4 self 4', '  idle 2 self 2'])
    expect(applyTransform(tree, { kind: 'drop-function', function: { name: 'worker' } }).sum).toBe(10n)
  })

  test('collapsing an unnamed library leaves the attribute roots unchanged', () => {
    const collapsed = applyTransform(tree, { kind: 'collapse-library', mapping: '' })
    expect(shown(collapsed)).toEqual([
      'main 6',
      '  [unknown] 6 self 6',
      'worker 3',
      '  [unknown] 3 self 3',
      '(no thread.name) 1',
      '  [unknown] 1 self 1',
    ])
  })
})

test('invert puts attribute roots last, like the library', () => {
  expect(shown(invert(tree))).toEqual(shown(treeOfThreads(TEXT, 'leaf-first')))
  expect(invert(tree).frames.attribute).toEqual(tree.frames.attribute)
})

describe('coloursOf', () => {
  const options = { palette: 'standard', theme: 'light' } as const
  const at = (of: CallTree, colourBy: 'thread' | 'package', ...path: string[]): string => {
    const colours = coloursOf(of, { ...options, colourBy })
    return colours.box[colours.of(findPath(of, path).node)]
  }

  test('by thread uses one colour per thread, the one in the legend', () => {
    const [main, worker, none] = threadsIn(tree)
    expect([main.total, worker.total, none.total]).toEqual([6, 3, 1])
    expect([main.node, worker.node]).toEqual([0, findPath(tree, ['worker']).node])
    const colour = threadColour(tree.frames, main.frame, options)
    expect(at(tree, 'thread', 'main')).toBe(colour)
    expect(at(tree, 'thread', 'main', 'main', 'run', 'gc')).toBe(colour)
    expect(at(tree, 'thread', 'worker', 'main', 'run')).toBe(threadColour(tree.frames, worker.frame, options))
    expect(new Set([main, worker, none].map(each => threadColour(tree.frames, each.frame, options))).size).toBe(3)
  })

  test('by thread in an inverted tree uses the colour of the largest thread', () => {
    const inverted = treeOfThreads(TEXT, 'leaf-first')
    const main = threadsIn(inverted)[0]
    expect(at(inverted, 'thread', 'gc')).toBe(threadColour(inverted.frames, main.frame, options))
    expect(at(inverted, 'thread', 'run')).not.toBe(at(inverted, 'thread', 'gc'))
  })

  test('by package gives a root its own colour and functions theirs', () => {
    expect(at(tree, 'package', 'main')).toBe(at(tree, 'package', 'worker'))
    expect(at(tree, 'package', 'main')).not.toBe(at(tree, 'package', 'main', 'main'))
  })

  test('by thread without threads is the same as by package', () => {
    const plain = treeOfFolded('main;json.parse 4')
    expect(at(plain, 'thread', 'main', 'json.parse')).toBe(at(plain, 'package', 'main', 'json.parse'))
    expect(threadsIn(plain)).toEqual([])
  })
})
