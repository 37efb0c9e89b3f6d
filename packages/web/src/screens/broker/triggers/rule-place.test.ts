import { expect, test } from 'vitest'
import { placeIn } from './rule-place.ts'

test('the place of a fault', () => {
  expect(placeIn('Spam(1)', 0)).toEqual({ line: 1, column: 1, text: 'Spam(1)', caret: '^' })
  expect(placeIn('Span(`a`) &', 11)).toEqual({ line: 1, column: 12, text: 'Span(`a`) &', caret: '           ^' })
  expect(placeIn('', 5)).toEqual({ line: 1, column: 1, text: '', caret: '^' })
})

test('in a rule of several lines', () => {
  const rule = 'Span(`a`) &&\n\tSlow(1)\n&& Attr(1)'
  expect(placeIn(rule, rule.indexOf('Slow'))).toEqual({ line: 2, column: 2, text: ' Slow(1)', caret: ' ^' })
  expect(placeIn(rule, rule.indexOf('\n'))).toMatchObject({ line: 1, column: 13, text: 'Span(`a`) &&' })
  expect(placeIn(rule, rule.length)).toMatchObject({ line: 3, column: 11, text: '&& Attr(1)' })
})

test('of a long line, what is around it', () => {
  const rule = `${'a'.repeat(200)}!${'b'.repeat(200)}`
  const { text, caret } = placeIn(rule, 200)
  expect(text).toBe(`…${'a'.repeat(48)}!${'b'.repeat(47)}…`)
  expect(text[caret.indexOf('^')]).toBe('!')
})
