import { describe, expect, test } from 'vitest'
import { sandwich } from './sandwich.ts'
import { profileOf } from './testing/profile-of.ts'
import { showTree } from './testing/show.ts'
import { topTable } from './top.ts'

const { profiles } = profileOf(`
  4     2     1     5
  main  main  main  main
  run   f     f     idle
  f     g
  g     f           `)

describe('sandwich', () => {
  test('cuts every stack at the outermost occurrence', () => {
    const { callers, callees } = sandwich(profiles, 0, 'f')!
    expect(showTree(callers)).toEqual(['f 7', '  run 4', '    main 4 self 4', '  main 3 self 3'])
    expect(showTree(callees)).toEqual(['f 7 self 1', '  g 6 self 4', '    f 2 self 2'])
    expect([callers.order, callees.order]).toEqual(['leaf-first', 'root-first'])
    expect([callers.sum, callees.sum]).toEqual([7n, 7n])
  })

  test('accepts the number of the frame', () => {
    const top = topTable(profiles, 0)
    const idle = top.frame.find(frame => top.frames.name[frame] === 'idle')!
    const { frame, callers } = sandwich(profiles, 0, idle)!
    expect(frame).toBe(idle)
    expect(showTree(callers)).toEqual(['idle 5', '  main 5 self 5'])
    expect(() => sandwich(profiles, 0, 99)).toThrow(RangeError)
  })

  test('handles roots and leaves', () => {
    expect(showTree(sandwich(profiles, 0, 'main')!.callers)).toEqual(['main 12 self 12'])
    expect(showTree(sandwich(profiles, 0, 'idle')!.callees)).toEqual(['idle 5 self 5'])
  })

  test('returns undefined for an unknown function', () => {
    expect(sandwich(profiles, 0, 'nowhere')).toBeUndefined()
    const { callers, callees } = sandwich(profileOf('1\na', '2\nb').profiles, 0, 'b')!
    expect([callers.length, callees.length]).toEqual([0, 0])
  })

  test('uses the frame with the greatest total if several have the name', () => {
    const twice = profileOf(`
      1       3       2
      a[x.c]  a[y.c]  a[z.c]`).profiles
    expect(showTree(sandwich(twice, 0, 'a')!.callees)).toEqual(['a y.c 3 self 3'])
  })
})
