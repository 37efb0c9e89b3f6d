import { expect, test } from 'vitest'
import { syntheticEvents } from '../testing/synthetic-events.ts'
import { Lanes } from './timeline-lanes.ts'
import type { ThreadRowChoice, SpanMark } from './timeline-rows.ts'
import { BAND_HEIGHT, GROUP_HEIGHT, LANE_GAP, NO_OVERLAYS, SPAN_HEIGHT, rowAt, rowsOf } from './timeline-rows.ts'

const events = syntheticEvents(2000, 50)
const lanes = new Lanes(events)
const ALL: ThreadRowChoice = { sort: 'name', hidden: new Set(), search: '' }
const titles = (choice: Partial<ThreadRowChoice>): string[] =>
  rowsOf(lanes, { ...ALL, ...choice }, NO_OVERLAYS).list.map(({ title }) => title)

test('rowsOf puts threads below their process, in natural order of their names', () => {
  const [first, second] = titles({})
  expect([first, second]).toEqual(['service · process 0', 'worker-0 (0)'])
  expect(titles({}).indexOf('worker-2 (2)')).toBe(3)
  expect(titles({}).indexOf('service · process 1')).toBe(26)
  expect(titles({})).toHaveLength(52)
})

test('rowsOf puts the busiest threads first, with their process', () => {
  const { threads } = rowsOf(lanes, { ...ALL, sort: 'busy' }, NO_OVERLAYS)
  const busiest = [...threads].sort((a, b) => lanes.total(b) - lanes.total(a))[0]
  expect(threads[0]).toBe(busiest)
  const groups = threads.map(thread => events.threads[thread].group)
  expect(new Set(groups.slice(0, 25)).size).toBe(1)
})

test('rowsOf omits hidden threads, threads that do not match, and empty processes', () => {
  expect(titles({ search: 'WORKER-7 ' })).toEqual(['service · process 0', 'worker-7 (7)'])
  expect(titles({ search: 'process 1' })).toHaveLength(26)
  expect(titles({ hidden: new Set([events.threads[3].key]) })).not.toContain('worker-3 (3)')
})

const span = (start: number, duration: number, thread = 0): SpanMark => ({
  name: `${start}`,
  traceId: 't',
  spanId: `${start}`,
  start,
  duration,
  isError: false,
  isStored: true,
  thread,
  group: events.threads[0].group,
})

test('rowsOf puts spans above their lane and overlapping spans on levels', () => {
  const spans = [span(0, 100), span(10, 20), span(40, 20), span(12, 5), span(200, 10)]
  const { list, hiddenSpans } = rowsOf(lanes, ALL, { ...NO_OVERLAYS, spans })
  const row = list.find(({ thread }) => thread === 0)!
  expect(row.spans.map(({ span: each, level }) => [each.start, level])).toEqual([
    [0, 0],
    [10, 1],
    [12, 2],
    [40, 1],
    [200, 0],
  ])
  expect([row.height, hiddenSpans]).toEqual([BAND_HEIGHT + LANE_GAP + 3 * SPAN_HEIGHT, 0])
  const deep = Array.from({ length: 7 }, (_, i) => span(i, 100))
  expect(rowsOf(lanes, ALL, { ...NO_OVERLAYS, spans: deep }).hiddenSpans).toBe(3)
})

test('rowsOf puts spans without a thread at their process', () => {
  const [group] = rowsOf(lanes, ALL, { ...NO_OVERLAYS, spans: [span(0, 5, -1)] }).list
  expect([group.kind, group.spans.length, group.height]).toEqual(['group', 1, GROUP_HEIGHT + SPAN_HEIGHT])
})

test('rowAt finds a row by its height', () => {
  const rows = rowsOf(lanes, ALL, NO_OVERLAYS)
  for (const row of rows.list) {
    expect(rowAt(rows, row.top)).toBe(row)
    expect(rowAt(rows, row.top + row.height - 0.5)).toBe(row)
  }
  expect(rowAt(rows, rows.height)).toBeUndefined()
  expect(rowAt(rows, -1)).toBeUndefined()
})
