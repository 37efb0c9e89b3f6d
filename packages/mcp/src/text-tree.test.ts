import { expect, it } from 'vitest'
import { BoundedText } from './bounded-text.ts'
import { textTree } from './text-tree.ts'

const NAMES = ['main', 'handle', 'render', 'gc']
const tree = {
  parent: [-1, 0, 1, 0],
  frame: [0, 1, 2, 3],
  self: [0, 100, 800, 100],
  total: [1000, 900, 800, 100],
  name: (frame: number) => NAMES[frame],
}

it('textTree prints shares of the sum, the largest branch first', () => {
  expect(textTree(tree, ['cpu'], 1000, '')).toBe(
    ['cpu', '100% main', ' 90% handle (self 10%)', '  80% render (self 80%)', ' 10% gc (self 10%)'].join('\n'),
  )
})

it('textTree keeps the largest nodes within the budget and says how many it skipped', () => {
  const wide = {
    ...tree,
    parent: [-1, ...Array.from({ length: 500 }, () => 0)],
    frame: Array.from({ length: 501 }, () => 0),
    self: Array.from({ length: 501 }, (_, i) => (i === 0 ? 0 : 501 - i)),
    total: [125_250, ...Array.from({ length: 500 }, (_, i) => 500 - i)],
  }
  const text = textTree(wide, [], 300, 'Use a narrower selector.')
  expect(text.length).toBeLessThan(1200)
  expect(text).toMatch(/\(\d+ smaller nodes are not shown\. Use a narrower selector\.\)$/)
})

it('BoundedText says what was cut', () => {
  const text = new BoundedText(100)
  text.addAll(Array.from({ length: 30 }, (_, i) => `line ${i} of a long list`))
  const shown = text.text('Ask for fewer.')
  expect(shown.length).toBeLessThan(400)
  expect(shown).toMatch(/more lines were cut\. Ask for fewer\.\)$/)
})

it('BoundedText says that a list ended at the limit of its query', () => {
  const text = new BoundedText(100)
  text.add('a line')
  expect(text.text('Ask for fewer.')).toBe('a line')
  expect(text.text('Ask for fewer.', true)).toBe('a line\n(There may be more. Ask for fewer.)')
})
