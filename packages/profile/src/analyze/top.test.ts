import { describe, expect, test } from 'vitest'
import { overflows } from './tree/exact-values.ts'
import { profileOf } from './testing/profile-of.ts'
import { showTop } from './testing/show.ts'
import { topTable } from './top.ts'

describe('topTable', () => {
  test('sums self and total by frame', () => {
    const { profiles } = profileOf(`
      3ms   2ms   1ms
      main  main  main
      run   run   idle
      gc          `)
    const top = topTable(profiles, 0)
    expect(showTop(top)).toEqual(['gc 3 3', 'run 2 5', 'idle 1 1', 'main 0 6'])
    expect([top.sum, overflows(top), top.length]).toEqual([6n, false, 4])
  })

  test('counts a recursive frame once per stack', () => {
    const { profiles } = profileOf(`
      3  2
      f  f
      g  f
      f  `)
    expect(showTop(topTable(profiles, 0))).toEqual(['f 5 5', 'g 0 3'])
  })

  test('orders rows by self, then total, then name', () => {
    const { profiles } = profileOf(`
      1  1  1  1
      d  c  x  b
               a`)
    expect(showTop(topTable(profiles, 0))).toEqual(['a 1 1', 'c 1 1', 'd 1 1', 'x 1 1', 'b 0 1'])
  })

  test('lists only frames with samples', () => {
    const { profiles } = profileOf('1\na', '2\nb')
    expect(showTop(topTable(profiles, 1))).toEqual(['b 2 2'])
    expect(showTop(topTable(profiles, [0, 1]))).toEqual(['b 2 2', 'a 1 1'])
  })

  test('adds the time of inlined calls to their caller if they have no frames', () => {
    const { profiles } = profileOf(`
      2     1
      run   gc
      ^gc   `)
    expect(showTop(topTable(profiles, 0))).toEqual(['gc 3 3', 'run 0 2'])
    expect(showTop(topTable(profiles, 0, { inlined: false }))).toEqual(['run 2 2', 'gc 1 1'])
  })

  test('groups by line', () => {
    const { profiles } = profileOf(`
      2           1
      run[a.c:7]  run[a.c:9]`)
    expect(showTop(topTable(profiles, 0, { by: 'line' }))).toEqual(['run a.c:7 2 2', 'run a.c:9 1 1'])
  })

  test('is exact beyond int64', () => {
    const { profiles } = profileOf(`
      9223372036854775807  9223372036854775806
      main                 main
      a                    b`)
    const top = topTable(profiles, 0)
    expect(showTop(top)).toEqual([
      'a 9223372036854775807 9223372036854775807',
      'b 9223372036854775806 9223372036854775806',
      'main 0 18446744073709551613',
    ])
    expect([top.sum, overflows(top)]).toEqual([18446744073709551613n, true])
  })
})
