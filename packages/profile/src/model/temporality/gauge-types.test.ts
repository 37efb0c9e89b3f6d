import { describe, expect, it } from 'vitest'
import { isGaugeType } from './gauge-types.ts'

describe('isGaugeType', () => {
  it.each(['inuse_space', 'inuse_objects', 'goroutine', 'goroutines', 'live_bytes', 'space'])('accepts %s', type => {
    expect(isGaugeType(type)).toBe(true)
  })

  it.each(['cpu', 'samples', 'alloc_space', 'alloc_objects', 'contentions', 'wall', ''])('rejects %j', type => {
    expect(isGaugeType(type)).toBe(false)
  })
})
