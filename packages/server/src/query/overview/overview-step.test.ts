import { describe, expect, it } from 'vitest'
import { overviewStep, versionSteps } from './overview-step.ts'

const SECOND = 1_000_000_000n
const HOUR = 3600n * SECOND

const service = (profiles: number, seconds: bigint, types = ['cpu:ns']) => ({
  first: 0n,
  last: seconds * SECOND,
  profiles,
  types,
})

describe('overviewStep', () => {
  it('contains the same number of profiles of 10, 15, 30 or 60 s in each step', () => {
    const step = overviewStep({ from: 0n, to: HOUR }, [service(60, 3540n)])
    expect(step / SECOND).toBe(120n)
    for (const interval of [10n, 15n, 30n, 60n]) expect((step / SECOND) % interval).toBe(0n)
  })

  it('is at least as long as the usual time between two profiles', () => {
    const range = { from: 0n, to: HOUR / 12n }
    expect(overviewStep(range, []) / SECOND).toBe(10n)
    expect(overviewStep(range, [service(5, 240n)]) / SECOND).toBe(60n)
    // The profiles are of two types.
    expect(overviewStep(range, [service(10, 240n, ['cpu:ns', 'wall:ns'])]) / SECOND).toBe(60n)
  })

  it('is a whole number of seconds in short and long ranges', () => {
    expect(overviewStep({ from: 0n, to: SECOND }, [])).toBe(SECOND)
    expect(overviewStep({ from: 0n, to: 100_000n * HOUR }, []) / SECOND).toBe(9_000_000n)
  })
})

describe('versionSteps', () => {
  it('starts with the first profile, at the earliest a week ago', () => {
    const now = 1000n * HOUR
    const first = (hoursAgo: bigint) => ({ first: now - hoursAgo * HOUR })
    expect(versionSteps(now, 60n * SECOND, [first(1n), first(2n)])).toEqual({
      from: now - 2n * HOUR,
      step: 60n * SECOND,
    })
    expect(versionSteps(now, SECOND, [first(500n)])).toEqual({ from: now - 168n * HOUR, step: (168n * HOUR) / 2000n })
  })
})
