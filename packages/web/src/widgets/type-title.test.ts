import { describe, expect, it } from 'vitest'
import { typeTitle } from './type-title.ts'

describe('typeTitle', () => {
  it('spells each unit one way and omits it for counts', () => {
    expect(['cpu:nanoseconds', 'cpu:ns', 'wall:microseconds'].map(typeTitle)).toEqual([
      'cpu (ns)',
      'cpu (ns)',
      'wall (\u00b5s)',
    ])
    expect(['alloc_space:bytes', 'alloc_space:By'].map(typeTitle)).toEqual(['alloc_space (B)', 'alloc_space (B)'])
    expect(['samples:count', 'samples:1', 'goroutine:{goroutine}'].map(typeTitle)).toEqual([
      'samples',
      'samples',
      'goroutine',
    ])
    expect(typeTitle('lines')).toBe('lines')
  })
})
