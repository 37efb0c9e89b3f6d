import type { TargetRow } from '@hearth/client'
import { describe, expect, it } from 'vitest'
import { groupTargets, matchingTargets } from './group-targets.ts'

const target = (job: string, instance: string, state: TargetRow['state']): TargetRow => ({
  job,
  url: `http://${instance}/debug/pprof/heap`,
  profile: 'memory',
  labels: { job, instance, Zone: 'EU' },
  discoveredLabels: {},
  state,
  intervalSeconds: 15,
})

const all = [target('web', 'a:1', 'up'), target('api', 'b:1', 'up'), target('web', 'c:1', 'down')]
const instances = (rows: readonly TargetRow[]): string[] => rows.map(({ labels }) => labels['instance'])

describe('matchingTargets', () => {
  it('searches labels, addresses and jobs without regard to case', () => {
    expect(instances(matchingTargets(all, 'ZONE=eu', false))).toEqual(['a:1', 'b:1', 'c:1'])
    expect(instances(matchingTargets(all, 'b:1', false))).toEqual(['b:1'])
    expect(instances(matchingTargets(all, ' web ', true))).toEqual(['c:1'])
  })
})

describe('groupTargets', () => {
  it('sorts jobs by name and puts failing targets first', () => {
    expect(groupTargets(all).map(([job, rows]) => [job, instances(rows)])).toEqual([
      ['api', ['b:1']],
      ['web', ['c:1', 'a:1']],
    ])
  })
})
