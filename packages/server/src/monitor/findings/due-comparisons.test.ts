import { rateOfLook } from '@hearth/profile'
import { describe, expect, it } from 'vitest'
import type { ServiceVersion } from '../../query/compare/service-versions.ts'
import { dueComparisons, mergedVersions } from './due-comparisons.ts'

const SECOND = 1_000_000_000n
const HOUR = 3600n * SECOND
const NOW = 500_000n * HOUR

function version(name: string, firstAgo: bigint, lastAgo: bigint, over: Partial<ServiceVersion> = {}): ServiceVersion {
  const times = { first: NOW - firstAgo, last: NOW - lastAgo }
  const fields = { service: 'shop', type: 'cpu', unit: 'ns', environment: undefined, version: name, profiles: 10 }
  return { ...fields, ...times, ...over }
}

const OLD = version('1', 5n * HOUR, 100n * SECOND)

describe('dueComparisons', () => {
  it('compares a new version with the one before, more rarely with time', () => {
    const [due, ...more] = dueComparisons([OLD, version('2', 125n * SECOND, 5n * SECOND)], [], {}, NOW)
    expect(more).toEqual([])
    expect(due).toMatchObject({ comparison: 'version', version: '2', previousVersion: '1', cursor: { looks: 2 } })
    expect(due.before.selector).toBe('cpu:ns{service.name="shop", service.version="1"}')
    expect(due.before.to - due.before.from).toBe(HOUR)
    const cursors = { [due.key]: due.cursor }
    expect(dueComparisons([OLD, version('2', 130n * SECOND, 0n)], [], cursors, NOW)).toEqual([])
    const later = dueComparisons([OLD, version('2', 160n * SECOND, 0n)], [], cursors, NOW)
    expect(later).toMatchObject([{ cursor: { looks: 3 }, maxRate: rateOfLook(3) }])
  })

  it('needs a version before, and 30 s of profiles after the start', () => {
    expect(dueComparisons([version('1', HOUR, 0n)], [], {}, NOW)).toEqual([])
    expect(dueComparisons([OLD, version('2', 45n * SECOND, 0n)], [], {}, NOW)).toEqual([])
    expect(dueComparisons([OLD, version('2', 50n * SECOND, 0n)], [], {}, NOW)).toHaveLength(1)
  })

  it('compares before and after a deployment of the same version', () => {
    const time = new Date(Number((NOW - 70n * SECOND) / 1_000_000n)).toISOString()
    const [due] = dueComparisons([version('1', 5n * HOUR, 0n)], [{ service: 'shop', time, version: 'b7' }], {}, NOW)
    expect(due).toMatchObject({ comparison: 'deployment', version: 'b7', cursor: { looks: 2 } })
    expect(due.before.to).toBe(due.after.from)
  })

  it('compares environments apart', () => {
    const production = { key: 'deployment.environment.name', value: 'production' } as const
    const staging = { key: 'deployment.environment', value: 'staging' } as const
    const versions = [
      version('1', 5n * HOUR, 0n, { environment: production }),
      version('1', 5n * HOUR, HOUR, { environment: staging }),
      version('2', HOUR, 0n, { environment: staging }),
      version('1', 5n * HOUR, HOUR),
      version('2', HOUR, 0n),
    ]
    const due = dueComparisons(versions, [], {}, NOW)
    expect(due.map(({ after }) => after.selector)).toEqual([
      'cpu:ns{service.name="shop", deployment.environment="staging", service.version="2"}',
      'cpu:ns{service.name="shop", !deployment.environment.name, !deployment.environment, service.version="2"}',
    ])
    expect(new Set(due.map(({ key }) => key)).size).toBe(2)
  })

  it('compares a version and a later deployment of it apart, each look once', () => {
    const time = new Date(Number((NOW - 700n * SECOND) / 1_000_000n)).toISOString()
    const versions = [OLD, version('2', HOUR, 0n)]
    const deployments = [{ service: 'shop', time, version: '' }]
    const due = dueComparisons(versions, deployments, {}, NOW)
    expect(due.map(({ comparison }) => comparison)).toEqual(['deployment', 'version'])
    const cursors = Object.fromEntries(due.map(({ key, cursor }) => [key, cursor]))
    expect(dueComparisons(versions, deployments, cursors, NOW)).toEqual([])
    // A marker of the version itself says nothing new.
    const same = dueComparisons(versions, [{ service: 'shop', time, version: '2' }], {}, NOW)
    expect(same.map(({ comparison }) => comparison)).toEqual(['version'])
  })

  it('compares each hour once with yesterday and last week', () => {
    const [due, ...more] = dueComparisons([version('1', 200n * HOUR, 0n)], [], {}, NOW + 130n * SECOND)
    expect(more).toEqual([])
    expect(due).toMatchObject({ comparison: 'day', after: { from: NOW - HOUR, to: NOW }, version: '1' })
    expect([due.before.to, due.alsoBefore?.to]).toEqual([NOW - 24n * HOUR, NOW - 168n * HOUR])
    expect(dueComparisons([version('1', 200n * HOUR, 0n)], [], { [due.key]: due.cursor }, NOW + 130n * SECOND)).toEqual(
      [],
    )
  })

  it('merges a scan of new profiles into an earlier one', () => {
    const [later, added] = [version('1', 10n * SECOND, 0n), version('2', 5n * SECOND, 0n)]
    expect(mergedVersions([OLD], [later, added])).toEqual([{ ...OLD, last: NOW }, added])
    expect(mergedVersions([OLD], [])).toEqual([OLD])
  })

  it('skips counts of samples if the same service has times', () => {
    const counts = { type: 'samples', unit: 'count' }
    const list = [OLD, version('2', HOUR, 0n), version('1', 5n * HOUR, HOUR, counts), version('2', HOUR, 0n, counts)]
    expect(dueComparisons(list, [], {}, NOW).map(({ type }) => type)).toEqual(['cpu:ns'])
  })

  it('skips times of waiting, and wall times if the same service has CPU times', () => {
    const typesOf = (types: readonly string[]): string[] => {
      const list = types.flatMap(type => [version('1', 5n * HOUR, HOUR, { type }), version('2', HOUR, 0n, { type })])
      return dueComparisons(list, [], {}, NOW).map(({ type }) => type)
    }
    expect(typesOf(['cpu', 'wall', 'async_wait', 'off_cpu', 'event_loop_delay', 'gc'])).toEqual(['cpu:ns', 'gc:ns'])
    expect(typesOf(['wall', 'gc'])).toEqual(['wall:ns', 'gc:ns'])
  })
})
