import { describe, expect, it } from 'vitest'
import { ProfilesBuilder } from '../../model/build/builder.ts'
import { locationFrames } from '../stacks/location-frames.ts'
import { StackPaths } from '../stacks/stack-paths.ts'
import { sumFrames } from '../top.ts'
import { compareSides } from './compare-sides.ts'
import { groupChanges } from './group-changes.ts'
import { SideSums } from './side-sums.ts'

/** Stacks such as `main handle render`, root first, with their values before and afterwards. */
function groupsOf(stacks: Readonly<Record<string, readonly [before: number, after: number]>>) {
  const builder = new ProfilesBuilder()
  const rows = Object.keys(stacks).map(text =>
    builder.stack(
      text
        .split(' ')
        .toReversed()
        .map(name => builder.location({ lines: [{ function: builder.function({ name }) }] })),
    ),
  )
  const { dictionary } = builder.build()
  const frames = locationFrames(dictionary, { by: 'function', inlined: true })
  const paths = new StackPaths(frames, Int32Array.from(rows))
  const columns = ([0, 1] as const).map(side => Float64Array.from(Object.values(stacks), values => values[side]))
  const [was, is] = columns.map(weight => {
    const side = new SideSums(frames.length, 'share')
    const values = sumFrames(paths, { weight, exact: undefined })
    const sum = weight.reduce((a, b) => a + b)
    side.add({ values, variances: values, sum, variance: sum })
    return side
  })
  const compared = compareSides(was, is, { reference: 'typical' })
  const scaled = columns[0].map(value => (value * is.sum * compared.factor) / was.sum)
  const names = (list: readonly number[]): string[] => list.map(f => frames.table.name[f])
  return groupChanges(paths, [scaled, columns[1]], compared, { maxRate: 0.01 }).map(group => ({
    ...group,
    causes: names(group.causes),
    functions: names(group.functions),
    decreased: names(group.decreased),
  }))
}

/** Functions that do not change. */
const REST = Object.fromEntries(Array.from({ length: 8 }, (_, i) => [`main rest${i}`, [2000, 2000] as const]))

describe('groupChanges', () => {
  it('names the function whose own cost grew, with its callers in the same group', () => {
    const [group, ...more] = groupsOf({ ...REST, 'main handle render escape': [1000, 2000] })
    expect(more).toEqual([])
    expect(group.causes[0]).toBe('escape')
    expect(group.functions).toEqual(expect.arrayContaining(['escape', 'render', 'handle']))
    expect(group.change).toBeCloseTo(1000, -1)
  })

  it('names the caller if the increase comes from it alone', () => {
    const [group, ...more] = groupsOf({
      ...REST,
      'main list escape': [2000, 2000],
      'main render escape': [200, 1600],
      'main render': [500, 500],
    })
    expect(more).toEqual([])
    expect(group.causes.slice(0, 2)).toEqual(['render', 'escape'])
  })

  it('names the function that grew as a whole', () => {
    const [group, ...more] = groupsOf({
      ...REST,
      'main work parse': [1000, 2000],
      'main work check': [900, 1800],
      'main work store': [800, 1600],
    })
    expect(more).toEqual([])
    expect(group.causes[0]).toBe('work')
    expect(group.functions).toEqual(expect.arrayContaining(['check', 'parse', 'store', 'work']))
  })

  it('reports two causes as two groups, the larger first', () => {
    const groups = groupsOf({ ...REST, 'main a slow': [1000, 1600], 'main b slower': [1000, 2500] })
    expect(groups.map(({ causes }) => causes[0])).toEqual(['slower', 'slow'])
  })

  it('names the first new function, and not its caller', () => {
    const groups = groupsOf({
      ...REST,
      'main handle': [3000, 3000],
      'main handle query': [1000, 1600],
      'main handle warm fill': [0, 500],
    })
    expect(groups.map(({ causes }) => causes[0])).toEqual(['query', 'warm'])
    expect(groups[1].causes).toEqual(['warm', 'fill', 'handle'])
    expect(groups.map(({ change }) => Math.round(change / 100))).toEqual([6, 5])
  })

  it('does not report cost that moved to another function of the same caller', () => {
    expect(groupsOf({ ...REST, 'main work old': [1500, 300], 'main work new': [300, 1500] })).toEqual([])
    const [net] = groupsOf({ ...REST, 'main work old': [1500, 900], 'main work new': [300, 2500] })
    expect(net.causes).toContain('new')
    expect(net.decreased).toEqual(['old'])
    expect(net.change).toBeCloseTo(1600, -1)
  })

  it('reports nothing without a significant increase', () => {
    expect(groupsOf({ ...REST, 'main work': [1000, 1010] })).toEqual([])
  })
})
