// Tests flame charts of profiles with timestamps.
import type { CallTree, Profiles } from '@hearth/profile'
import { ProfilesBuilder, ROOT } from '@hearth/profile'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { timeline as chart } from './timeline.ts'
import { timelineEvents } from './timeline-events.ts'

interface Seen {
  readonly stack: string
  readonly at: number
  /** In the unit of the profile; undefined for samples with only timestamps. */
  readonly value?: number
  readonly thread?: string
}

const START = 1_700_000_000_000_000_000n

function profilesOf(seen: readonly Seen[], unit = 'ns', period = 0n): Profiles {
  const builder = new ProfilesBuilder()
  builder.resource({ attributes: [] })
  builder.scope({ name: 'test' })
  builder.profile({ type: 'cpu', unit, periodType: 'cpu', periodUnit: period === 0n ? '' : 'ns', period })
  for (const { stack, at, value, thread } of seen) {
    const frames = stack === '' ? [] : stack.split(';')
    const locations = frames.map(name =>
      builder.location({ lines: [{ function: builder.function({ name }), line: 1 }] }),
    )
    builder.sample({
      stack: builder.stack(locations.toReversed()),
      values: value === undefined ? [] : [BigInt(value)],
      timestamps: [START + BigInt(at)],
      attributes: thread === undefined ? [] : [builder.attribute('thread.name', thread)],
    })
  }
  return builder.build()
}

function timeline(profiles: Profiles, rows: readonly number[], thread: string) {
  return chart(timelineEvents(profiles, rows), thread, '')
}

function callsOf({ length, depth, frame, frames, total, times }: CallTree): string[] {
  return Array.from({ length }, (_, i) => {
    const start = times!.start[i]
    return `${'  '.repeat(depth[i])}${frames.name[frame[i]]} ${start}-${start + total[i]}`
  })
}

describe('timeline', () => {
  test('uses the length of intervals and shows every gap between them', () => {
    const { tree, origin } = timeline(
      profilesOf([
        { stack: 'main;run', at: 0, value: 10 },
        { stack: 'main;run;gc', at: 10, value: 5 },
        { stack: 'main', at: 15, value: 1 },
        { stack: 'main;run', at: 17, value: 3 },
      ]),
      [0],
      '',
    )
    expect(callsOf(tree)).toEqual(['main 0-16', '  run 0-15', '    gc 10-15', 'main 17-20', '  run 17-20'])
    expect([origin, tree.times!.whole, tree.sum, [...tree.self]]).toEqual([START, 20, 19n, [1, 10, 5, 0, 3]])
  })

  test('gives samples the length of a period and bridges one missed sample', () => {
    const { tree } = timeline(
      profilesOf(
        [
          { stack: 'main;a', at: 0 },
          { stack: 'main;a', at: 11 },
          { stack: 'main;b', at: 31 },
          { stack: 'main;b', at: 80 },
        ],
        'count',
        10n,
      ),
      [0],
      '',
    )
    expect(callsOf(tree)).toEqual(['main 0-41', '  a 0-31', '  b 31-41', 'main 80-90', '  b 80-90'])
  })

  test('uses the median gap if there is no period', () => {
    const seen = [0, 10, 20, 30, 100].map(at => ({ stack: 'main', at }))
    expect(callsOf(timeline(profilesOf(seen, 'count'), [0], '').tree)).toEqual(['main 0-40', 'main 100-110'])
  })

  test('sorts samples, treats empty stacks as gaps, and ends overlapping calls at the next sample', () => {
    const seen = [
      { stack: 'b', at: 10, value: 10 },
      { stack: 'a', at: 0, value: 15 },
      { stack: '', at: 20, value: 10 },
      { stack: 'b', at: 30, value: 10 },
    ]
    expect(callsOf(timeline(profilesOf(seen), [0], '').tree)).toEqual(['a 0-10', 'b 10-20', 'b 30-40'])
  })

  test('converts values in other units of time', () => {
    const seen = [{ stack: 'main', at: 5, value: 2 }]
    expect(callsOf(timeline(profilesOf(seen, 'milliseconds'), [0], '').tree)).toEqual(['main 0-2000000'])
  })
})

describe('threads', () => {
  const profiles = profilesOf([
    { stack: 'main', at: 0, value: 10, thread: 'main' },
    { stack: 'work', at: 5, value: 10, thread: 'worker' },
    { stack: 'work', at: 20, value: 10, thread: 'worker' },
  ])

  test('shows the busiest thread by default, with one clock for all', () => {
    const busiest = timeline(profiles, [0], 'nobody')
    expect(busiest.threads.map(({ title, observations }) => [title, observations])).toEqual([
      ['worker', 2],
      ['main', 1],
    ])
    expect(callsOf(busiest.tree)).toEqual(['work 5-15', 'work 20-30'])
    const main = timeline(profiles, [0], busiest.threads[1].key)
    expect(main.thread).toBe(busiest.threads[1].key)
    expect([callsOf(main.tree), main.tree.times!.whole]).toEqual([['main 0-10'], 30])
  })

  test('returns no threads for a file without timestamps', () => {
    const builder = new ProfilesBuilder()
    builder.resource({ attributes: [] })
    builder.scope({ name: 'test' })
    builder.profile({ type: 'cpu', unit: 'ns' })
    builder.sample({ stack: builder.stack([]), values: [1n] })
    expect(timeline(builder.build(), [0], '')).toMatchObject({ threads: [], thread: '', tree: { length: 0 } })
  })
})

test('timeline nests calls, keeps them in order and preserves the total of all intervals', () => {
  const one = fc.record({
    gap: fc.integer({ min: 0, max: 5 }),
    value: fc.integer({ min: 1, max: 9 }),
    stack: fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 5 }),
  })
  fc.assert(
    fc.property(fc.array(one, { minLength: 1, maxLength: 40 }), parts => {
      let at = 0
      const seen = parts.map(({ gap, value, stack }) => {
        const from = at + gap
        at = from + value
        return { stack: stack.join(';'), at: from, value }
      })
      const { tree } = timeline(profilesOf(seen), [0], '')
      const { start } = tree.times!
      expect(tree.sum).toBe(BigInt(parts.reduce((sum, { value }) => sum + value, 0)))
      for (let i = 0; i < tree.length; i++) {
        const above = tree.parent[i]
        expect(tree.total[i]).toBeGreaterThan(0)
        expect(tree.self[i]).toBeGreaterThanOrEqual(0)
        if (above !== ROOT) {
          expect(start[i]).toBeGreaterThanOrEqual(start[above])
          expect(start[i] + tree.total[i]).toBeLessThanOrEqual(start[above] + tree.total[above])
          expect([tree.depth[i], tree.end[i] <= tree.end[above]]).toEqual([tree.depth[above] + 1, true])
        }
        const next = tree.end[i]
        if (next < tree.length && tree.parent[next] === above) {
          expect(start[next]).toBeGreaterThanOrEqual(start[i] + tree.total[i])
        }
      }
    }),
  )
})
