import { describe, expect, it } from 'vitest'
import { targetOfArrow } from './roving-target.ts'

describe('targetOfArrow', () => {
  it('moves along the controls, around the ends', () => {
    expect(targetOfArrow('ArrowRight', 0, 3)).toBe(1)
    expect(targetOfArrow('ArrowRight', 2, 3)).toBe(0)
    expect(targetOfArrow('ArrowLeft', 0, 3)).toBe(2)
    expect(targetOfArrow('ArrowDown', 0, 3)).toBeUndefined()
    expect(targetOfArrow('ArrowRight', 0, 1)).toBeUndefined()
  })

  it('moves up and down in a list', () => {
    expect(targetOfArrow('ArrowDown', 0, 3, { isList: true })).toBe(1)
    expect(targetOfArrow('ArrowUp', 1, 3, { isList: true })).toBe(0)
  })

  it('leaves a text field only at its ends', () => {
    expect(targetOfArrow('ArrowRight', 0, 3, { caret: { start: 1, end: 1, length: 4 } })).toBeUndefined()
    expect(targetOfArrow('ArrowRight', 0, 3, { caret: { start: 4, end: 4, length: 4 } })).toBe(1)
    expect(targetOfArrow('ArrowLeft', 1, 3, { caret: { start: 0, end: 0, length: 4 } })).toBe(0)
  })
})
