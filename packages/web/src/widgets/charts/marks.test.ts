import type { SeriesResponse } from '@hearth/client'
import { describe, expect, it } from 'vitest'
import { annotationMarks, joinMarks, markLabel, versionMarks } from './marks.ts'

const group = (version: string, ...times: number[]) => ({
  labels: version === '' ? [{}] : [{ stringValue: version }],
  points: times.map(time => ({ time: `${time}000000`, value: 1, sum: '1', profiles: 1 })),
  exemplars: [],
})

describe('versionMarks', () => {
  it('marks versions that appear within the range', () => {
    const response = {
      step: '10000000',
      groups: [group('1.4.1', 1000, 1010, 1020), group('1.4.2', 1020, 1030), group('', 1030)],
    } as unknown as SeriesResponse
    expect(versionMarks(response, 1000)).toEqual([{ time: 1020, text: '1.4.2', isDeploy: true }])
  })
})

describe('joinMarks', () => {
  const annotated = annotationMarks([
    { id: '1', text: 'v1.4.2', kind: 'deploy', service: 'checkout', time: '1015000000', created: '', by: '' },
    { id: '2', text: 'load test', kind: 'note', service: '', time: '1005000000', created: '', by: '' },
  ])

  it('orders marks and marks a deployment once', () => {
    const seen = { time: 1020, text: '1.4.2', isDeploy: true }
    const later = { time: 1100, text: '1.4.2', isDeploy: true }
    expect(joinMarks(annotated, [seen, later], 10).map(({ time, text }) => [time, text])).toEqual([
      [1005, 'load test'],
      [1015, 'checkout: v1.4.2'],
      [1100, '1.4.2'],
    ])
  })
})

describe('markLabel', () => {
  it('shortens long texts', () => {
    expect(markLabel({ time: 0, text: 'v1.4.2', isDeploy: true })).toBe('v1.4.2')
    expect(markLabel({ time: 0, text: 'x'.repeat(40), isDeploy: true })).toHaveLength(18)
  })
})
