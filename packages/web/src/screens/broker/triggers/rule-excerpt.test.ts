import { describe, expect, it } from 'vitest'
import { excerptAt } from './rule-excerpt.ts'

describe('excerptAt', () => {
  it('returns line, column and a caret below the position', () => {
    expect(excerptAt('Spam(1)', 0)).toEqual({ line: 1, column: 1, text: 'Spam(1)', caret: '^' })
    expect(excerptAt('Span(`a`) &', 11)).toEqual({ line: 1, column: 12, text: 'Span(`a`) &', caret: '           ^' })
    expect(excerptAt('', 5)).toEqual({ line: 1, column: 1, text: '', caret: '^' })
  })

  it('returns the line of the position in a rule of several lines', () => {
    const rule = 'Span(`a`) &&\n\tSlow(1)\n&& Attr(1)'
    expect(excerptAt(rule, rule.indexOf('Slow'))).toEqual({ line: 2, column: 2, text: ' Slow(1)', caret: ' ^' })
    expect(excerptAt(rule, rule.indexOf('\n'))).toMatchObject({ line: 1, column: 13, text: 'Span(`a`) &&' })
    expect(excerptAt(rule, rule.length)).toMatchObject({ line: 3, column: 11, text: '&& Attr(1)' })
  })

  it('shortens a long line around the position', () => {
    const rule = `${'a'.repeat(200)}!${'b'.repeat(200)}`
    const { text, caret } = excerptAt(rule, 200)
    expect(text).toBe(`…${'a'.repeat(48)}!${'b'.repeat(47)}…`)
    expect(text[caret.indexOf('^')]).toBe('!')
  })
})
