import type { Profiles } from '@hearth/profile'
import { KnownSymbols, difference } from '@hearth/profile'
import { describe, expect, it } from 'vitest'
import { richProfiles } from '../../../profile/src/model/testing/rich-profiles.ts'
import { columnsContent, columnsReader } from './columns-content.ts'
import { Rejects } from './rejects.ts'

const context = { maxBody: 2 ** 20, maxAttributes: 128, symbols: new KnownSymbols({ equal: () => false }) }

describe('columnsContent', () => {
  it('has the same profiles in another thread', () => {
    const { options } = structuredClone(columnsContent({ profiles: richProfiles() }))
    const reader = columnsReader.columns
    const content = options as { readonly profiles: Profiles }
    const payload = reader.read(new Uint8Array(0), content, context, new Rejects())?.payload
    if (payload?.signal !== 'profiles') throw new Error('there are no profiles')
    expect(difference(payload.profiles, richProfiles())).toBeUndefined()
    expect(reader.measure(new Uint8Array(0), content, Infinity)).toBeGreaterThan(0)
  })

  it('is rejected as a whole if it was a file', () => {
    const reader = columnsReader.columns
    const isAtomic = (format: object): boolean | undefined =>
      reader.read(new Uint8Array(0), { profiles: richProfiles(), ...format }, context, new Rejects())?.isAtomic
    expect([isAtomic({}), isAtomic({ format: 'pprof' })]).toEqual([false, true])
  })
})
