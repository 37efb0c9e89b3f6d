import { describe, expect, it } from 'vitest'
import type { ProfileSpec } from '../model/testing/profiles-spec.ts'
import { buildProfiles } from '../model/testing/profiles-spec.ts'
import { validate } from '../model/validate/validate.ts'
import { conforming } from './conforming.ts'

const T = 1_700_000_000_000_000_000n
const location = { address: 5n }
const cpu = (timestamps: readonly bigint[], times: Partial<ProfileSpec> = {}): ProfileSpec => ({
  type: 'cpu',
  unit: 'ns',
  ...times,
  samples: timestamps.length === 0 ? [{ stack: [location], values: [1n] }] : [{ stack: [location], timestamps }],
})
const named = (value: string) => ({ attributes: [{ key: 'service.name', value }] })

describe('conforming', () => {
  it('repairs profiles for OTLP and notes each change', () => {
    const contradictory = cpu([T, T + 50n], { timeUnixNano: T + 10n, durationNano: 20n })
    const twice = { ...cpu([]), samples: [...cpu([]).samples, ...cpu([]).samples] }
    const profiles = buildProfiles([
      { resource: named('empty'), scopes: [] },
      { resource: named('a'), scopes: [{ profiles: [] }, { profiles: [contradictory, twice] }] },
    ])
    expect(validate(profiles, { strict: true }).length).toBeGreaterThan(0)
    for (const format of ['otlp', 'otlp-json']) {
      const { profiles: repaired, notes } = conforming(profiles, format)
      expect(validate(repaired, { strict: true })).toEqual([])
      expect(notes.map(({ code, count }) => [code, count])).toEqual([
        ['time-range', 1],
        ['empty-containers', 2],
        ['summed-samples', 1],
      ])
      expect([repaired.profiles.time(0), repaired.profiles.duration(0)]).toEqual([T, 51n])
      expect(repaired.resources.resource(0).attributes).toEqual([{ key: 'service.name', value: 'a' }])
    }
  })

  it('sets the times that former drafts require', () => {
    const profiles = buildProfiles([{ scopes: [{ profiles: [cpu([]), cpu([T])] }] }])
    for (const format of ['otep239', 'arrays-draft']) {
      const { profiles: timed, notes } = conforming(profiles, format, T + 5n)
      expect([timed.profiles.time(0), timed.profiles.time(1)]).toEqual([T + 5n, T])
      expect(notes.map(({ code, count }) => [code, count])).toEqual([['time-of-file', 1]])
      expect(conforming(profiles, format).notes).toEqual([])
    }
  })

  it('keeps files without profiles, and profiles for other formats', () => {
    const empty = buildProfiles([{ resource: named('empty'), scopes: [] }])
    expect(conforming(empty, 'otlp')).toEqual({ profiles: empty, notes: [] })
    const profiles = buildProfiles([{ scopes: [{ profiles: [] }, { profiles: [cpu([T])] }] }])
    expect(conforming(profiles, 'pprof', T)).toEqual({ profiles, notes: [] })
  })
})
