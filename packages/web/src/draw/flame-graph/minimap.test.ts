import { layOut } from '@hearth/profile'
import { describe, expect, it } from 'vitest'
import { treeOfFolded } from '../../../../profile/src/analyze/testing/tree-of.ts'
import { isPartOutside, minimapOf, minimapWindow, movedTo } from './minimap.ts'

describe('minimapOf', () => {
  it('has the number of rows at each pixel', () => {
    const { rows, depth } = minimapOf(layOut(treeOfFolded('a;b;c 2\nd 2')), 4)
    expect(rows).toBe(4)
    expect([...depth]).toEqual([4, 4, 2, 2])
  })
})

describe('minimapWindow and movedTo', () => {
  const half = { left: 0.25, right: 0.75, top: 10, bottom: 30, rows: 100 }

  it('place the window from the root, also if the root is at the bottom', () => {
    expect(minimapWindow(half, 'icicle')).toEqual({ left: 0.25, width: 0.5, top: 0.1, height: 0.2 })
    expect(minimapWindow(half, 'flame').top).toBeCloseTo(0.7)
    expect(minimapWindow({ ...half, left: 0.9999, right: 1 }, 'icicle').left).toBeCloseTo(0.98)
  })

  it('centre the window at the pointer, within the graph', () => {
    expect(movedTo(half, 'icicle', 0.5, 0.5)).toEqual({ left: 0.25, right: 0.75, rows: 30 })
    expect(movedTo(half, 'icicle', 0, 0.2)).toEqual({ left: 0, right: 0.5, rows: 0 })
    expect(movedTo(half, 'flame', 1, 0.8).left).toBe(0.5)
  })

  it('are needed only if a part of the graph is outside', () => {
    expect(isPartOutside(half)).toBe(true)
    expect(isPartOutside({ left: 0, right: 1, top: 0, bottom: 30, rows: 34 })).toBe(false)
    expect(isPartOutside({ left: 0, right: 1, top: 0, bottom: 30, rows: 35 })).toBe(true)
  })
})
