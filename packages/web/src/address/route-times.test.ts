import { describe, expect, it } from 'vitest'
import { timeProblems, withAbsoluteTimes } from './route-times.ts'
import { readRoute } from './route.ts'

const NOW = Date.parse('2026-11-18T12:00:00Z')
const problems = (path: string, search: string): readonly string[] => timeProblems(readRoute(path, search), NOW)

describe('timeProblems', () => {
  it('accepts relative and absolute times', () => {
    for (const path of ['services', 'explore', 'compare', 'traces', 'logs', 'metric', 'symbols', 'status', 'file']) {
      expect(problems(path, '?from=now-1h')).toEqual([])
    }
    expect(problems('explore', '?from=2026-11-18T10:00:00Z&to=2026-11-18T11:00:00Z')).toEqual([])
  })

  it('names an invalid time with its parameter', () => {
    expect(problems('explore', '?from=yesterday')).toEqual(['“yesterday” is not a time (from).'])
    expect(problems('traces', '?from=a&to=b')).toHaveLength(2)
    expect(problems('compare', '?b.to=soon')).toEqual(['“soon” is not a time (b.to).'])
  })

  it('names a range that ends before it starts', () => {
    expect(problems('logs', '?from=now&to=now-1h')[0]).toContain('before it starts')
  })
})

describe('withAbsoluteTimes', () => {
  it('replaces relative times on every screen and keeps the rest', () => {
    expect(withAbsoluteTimes(readRoute('explore', '?service=a&from=now-1h'), NOW)).toMatchObject({
      query: { service: 'a', from: '2026-11-18T11:00:00.000Z', to: '2026-11-18T12:00:00.000Z' },
    })
    expect(withAbsoluteTimes(readRoute('compare', ''), NOW)).toMatchObject({
      before: { from: '2026-11-18T10:00:00.000Z', to: '2026-11-18T11:00:00.000Z' },
    })
    expect(withAbsoluteTimes(readRoute('services', ''), NOW)).toMatchObject({ to: '2026-11-18T12:00:00.000Z' })
    const trace = readRoute('trace', '?id=abc')
    expect(withAbsoluteTimes(trace, NOW)).toBe(trace)
  })
})
