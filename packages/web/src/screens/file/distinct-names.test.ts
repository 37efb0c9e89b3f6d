import { describe, expect, it } from 'vitest'
import { distinctNames } from './distinct-names.ts'

describe('distinctNames', () => {
  it('keeps short names', () => {
    expect(distinctNames(['before.pb.gz', 'after.pb.gz'])).toEqual(['before.pb.gz', 'after.pb.gz'])
  })

  it('shows what differs in long names with the same start', () => {
    const shown = distinctNames([
      'checkout-service-production-cpu-before.pb.gz',
      'checkout-service-production-cpu-after.pb.gz',
    ])
    expect(shown).toEqual(['checko…before.pb.gz', 'checko…after.pb.gz'])
  })

  it('shortens other names in the middle', () => {
    const [name] = distinctNames(['a-very-long-name-of-a-profile-of-the-checkout.pb.gz'])
    expect(name.length).toBe(28)
    expect(name.endsWith('checkout.pb.gz')).toBe(true)
  })
})
