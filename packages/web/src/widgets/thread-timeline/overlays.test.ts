// Tests the window in which other signals are requested, and the lanes of their marks.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { TimelineEvents } from '../../api/profile-source.ts'
import { syntheticEvents } from '../../draw/testing/synthetic-events.ts'
import { Processes, SeenSpans, seenSpans, windowAround } from './overlays.ts'

describe('windowAround', () => {
  test('covers the visible part and little more', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 1, max: 1e12, noNaN: true }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.double({ min: 1e-6, max: 1, noNaN: true }),
        (whole, at, part) => {
          const width = part * whole
          const left = at * (whole - width)
          const around = windowAround({ left, width }, whole)
          expect(around.left).toBeLessThanOrEqual(left)
          expect(around.left + around.width).toBeGreaterThanOrEqual(Math.min(whole, left + width) * (1 - 1e-12))
          expect(around.width).toBeLessThanOrEqual(Math.min(whole, 4 * width))
        },
      ),
    )
  })

  test('stays the same for small moves and changes on zoom', () => {
    const whole = 1e9
    expect(windowAround(undefined, whole)).toEqual({ left: 0, width: whole })
    const first = windowAround({ left: 5.1e8, width: 1e6 }, whole)
    expect(windowAround({ left: 5.102e8, width: 1e6 }, whole)).toEqual(first)
    expect(windowAround({ left: 5.1e8, width: 2e5 }, whole)).not.toEqual(first)
  })
})

describe('lanes', () => {
  const thread = (resource: string, id: string, group: string) => ({
    key: `${resource}/${id}/`,
    title: id,
    service: 'shop',
    resource,
    id,
    group,
  })
  const events: TimelineEvents = {
    ...syntheticEvents(12, 3),
    threads: [thread('10', '1', 'a'), thread('10', '2', 'a'), thread('11', '1', 'b')],
    first: Uint32Array.of(0, 4, 8, 12),
    start: Float64Array.of(0, 10, 20, 30, 0, 10, 20, 30, 0, 10, 20, 30),
    duration: new Float64Array(12).fill(10),
    links: [
      { traceId: '', spanId: '' },
      { traceId: 't', spanId: 's1' },
      { traceId: 't', spanId: 's2' },
    ],
    link: Uint32Array.of(1, 1, 0, 0, 0, 0, 0, 1, 0, 2, 2, 0),
  }

  test('finds the lane by a sample of the span, by the thread id, or by the process', () => {
    const processes = new Processes(events)
    expect([processes.ids, processes.dropped]).toEqual([['10', '11'], 0])
    const seen = new SeenSpans(events)
    expect(processes.laneOf(1, '', seen.threadOf('t', 's1'))).toEqual({ thread: 0, group: 'a' })
    expect(processes.laneOf(1, '1', -1)).toEqual({ thread: 2, group: 'b' })
    expect(processes.laneOf(0, '7', -1)).toEqual({ thread: -1, group: 'a' })
    expect(processes.laneOf(-1, '1', -1)).toBeUndefined()
  })

  test('returns spans of the window that only samples know', () => {
    const seen = new SeenSpans(events)
    const names = (left: number, width: number, stored: readonly string[] = []) =>
      seenSpans(events, seen, new Set(stored), { left, width }).spans.map(({ spanId, thread: on }) => [spanId, on])
    expect(names(0, 100)).toEqual([
      ['s1', 0],
      ['s2', 2],
    ])
    expect(names(0, 5)).toEqual([['s1', 0]])
    expect(names(0, 100, ['t s1'])).toEqual([['s2', 2]])
  })
})
