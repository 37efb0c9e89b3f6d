import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Layout } from '@hearth/profile'
import { ROOT, layOut } from '@hearth/profile'
import { layoutOf, syntheticTree, treeOfFolded } from '../../../../profile/src/analyze/testing/tree-of.ts'
import { minimapOf } from './minimap.ts'
import type { Window } from './viewport.ts'
import { MERGED, VisibleBoxes, nodeAround, nodeAt } from './visible-boxes.ts'

const layout = layoutOf('main;run;gc 30\nmain;run 20\nmain;idle 10\nother 40')
const all: Window = { left: 0, right: 100, firstRow: 0, lastRow: 9, pixels: 1000, narrowest: 0.5 }

function collected(of: Layout, window: Window): string[] {
  const boxes = new VisibleBoxes()
  boxes.collect(of, window)
  const { tree } = of
  return Array.from({ length: boxes.length }, (_, i) => {
    const node = boxes.node[i]
    const name = node === ROOT ? 'all' : node === MERGED ? 'merged' : tree.frames.name[tree.frame[node]]
    return `${name} row ${boxes.row[i]} from ${boxes.x[i]} wide ${boxes.width[i]}`
  })
}

describe('VisibleBoxes', () => {
  test('collects every box, starting with the root', () => {
    expect(collected(layout, all)).toEqual([
      'all row 0 from 0 wide 1000',
      'main row 1 from 0 wide 600',
      'run row 2 from 0 wide 500',
      'gc row 3 from 0 wide 300',
      'idle row 2 from 500 wide 100',
      'other row 1 from 600 wide 400',
    ])
  })

  test('collects boxes that start before the window or end after it', () => {
    expect(collected(layout, { ...all, left: 40, right: 60 })).toEqual([
      'all row 0 from -2000 wide 5000',
      'main row 1 from -2000 wide 3000',
      'run row 2 from -2000 wide 2500',
      'idle row 2 from 500 wide 500',
    ])
  })

  test('collects only visible rows', () => {
    expect(collected(layout, { ...all, firstRow: 2, lastRow: 2 })).toEqual([
      'run row 2 from 0 wide 500',
      'idle row 2 from 500 wide 100',
    ])
  })

  test('merges narrow neighbours into one box without children', () => {
    const narrow = layoutOf(`wide 90\n${Array.from({ length: 10 }, (_, i) => `n${i};below 1`).join('\n')}`)
    expect(collected(narrow, { ...all, pixels: 40 })).toEqual([
      'all row 0 from 0 wide 40',
      'wide row 1 from 0 wide 36',
      'merged row 1 from 36 wide 4',
    ])
  })

  test('collects only the root of an empty tree', () => {
    const empty = layOut({ ...treeOfFolded('a 1'), length: 0, sum: 0n })
    expect(collected(empty, { ...all, right: 0 })).toEqual(['all row 0 from 0 wide 1000'])
  })
})

/** Visits every node, as a slow reference. */
function expected({ tree, left, width }: Layout, window: Window): number[] {
  const scale = window.pixels / (window.right - window.left)
  const nodes: number[] = []
  for (let i = 0; i < tree.length; i++) {
    const row = tree.depth[i] + 1
    const inside = left[i] < window.right && left[i] + width[i] > window.left
    // A node is not wider than its parent, so a node that is wide enough has parents that are too.
    if (inside && row >= window.firstRow && row <= window.lastRow && width[i] * scale >= window.narrowest) nodes.push(i)
  }
  return nodes
}

describe('VisibleBoxes compared with a scan of all nodes', () => {
  const byValue = layOut(syntheticTree(20_000))
  // The widths of a diff do not follow the order of its siblings.
  const after = syntheticTree(20_000)
  const self = after.self.map((value, i) => value * (i % 7))
  const diff = layOut({ ...after, before: { ...after, self, total: self } })
  const window = fc
    .tuple(
      fc.double({ min: 0, max: 1, noNaN: true }),
      fc.double({ min: 1e-6, max: 1, noNaN: true }),
      fc.nat(20),
      fc.nat(40),
      fc.integer({ min: 1, max: 2000 }),
    )
    .map(([left, width, firstRow, rows, pixels]) => ({ left, width, firstRow, rows, pixels }))

  test.each([
    ['of a tree', byValue],
    ['of a diff', diff],
  ])('siblings %s', (_, of) => {
    fc.assert(
      fc.property(window, ({ left, width, firstRow, rows, pixels }) => {
        const shown = {
          left: left * of.whole,
          right: Math.min(1, left + width) * of.whole,
          firstRow,
          lastRow: firstRow + rows,
          pixels,
          narrowest: 0.5,
        }
        fc.pre(shown.right > shown.left)
        const boxes = new VisibleBoxes()
        boxes.collect(of, shown)
        const nodes = Array.from(boxes.node.subarray(0, boxes.length)).filter(node => node >= 0)
        expect(nodes).toEqual(expected(of, shown))
      }),
    )
  })

  test('does not overlap boxes of a row, including merged ones', () => {
    fc.assert(
      fc.property(fc.constantFrom(byValue, diff), window, (of, { left, width, pixels }) => {
        const shown = {
          left: left * of.whole,
          right: Math.min(1, left + width) * of.whole,
          firstRow: 0,
          lastRow: 60,
          pixels,
          narrowest: 0.5,
        }
        fc.pre(shown.right > shown.left)
        const boxes = new VisibleBoxes()
        boxes.collect(of, shown)
        const rows = Array.from({ length: boxes.length }, (_, i) => i).sort(
          (a, b) => boxes.row[a] - boxes.row[b] || boxes.x[a] - boxes.x[b],
        )
        const overlaps = rows.filter((i, k) => {
          const before = rows[k - 1]
          return (
            k > 0 &&
            boxes.row[before] === boxes.row[i] &&
            boxes.x[before] + boxes.width[before] > boxes.x[i] + 1e-6 * Math.abs(boxes.width[before])
          )
        })
        expect(overlaps).toEqual([])
      }),
      { numRuns: 50 },
    )
  })
})

describe('nodeAt and nodeAround', () => {
  test('find the box of a row', () => {
    const at = (place: number, row: number): number | undefined => nodeAt(layout, place, row)
    expect([at(0, 0), at(10, 1), at(10, 3), at(55, 2), at(99, 1)]).toEqual([ROOT, 0, 2, 3, 4])
    expect([at(45, 3), at(99, 2), at(100, 0), at(-1, 0), at(5, 9)]).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
      undefined,
    ])
  })

  test('find the deepest box that fills the window', () => {
    expect([
      nodeAround(layout, 0, 100),
      nodeAround(layout, 5, 10),
      nodeAround(layout, 35, 45),
      nodeAround(layout, 45, 55),
    ]).toEqual([ROOT, 2, 1, 0])
  })
})

test('minimapOf returns the depth of the graph from left to right', () => {
  const { rows, depth } = minimapOf(layout, 10)
  expect(rows).toBe(4)
  expect(Array.from(depth)).toEqual([4, 4, 4, 3, 3, 3, 2, 2, 2, 2])
})
