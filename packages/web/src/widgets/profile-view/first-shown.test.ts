import { describe, expect, it } from 'vitest'
import { firstShown } from './first-shown.ts'

describe('firstShown', () => {
  it('prefers a file with source lines to frames without a file', () => {
    const [unknown, known] = [{ file: '' }, { file: '/src/burn.c' }]
    expect(firstShown([unknown, known])).toBe(known)
    expect(firstShown([unknown])).toBe(unknown)
    expect(firstShown([])).toBeUndefined()
  })
})
