import { describe, expect, it } from 'vitest'
import type { PaletteItem } from './palette-items.ts'
import { idIn, matchingItems } from './palette-items.ts'

const item = (title: string, group: PaletteItem['group'], note = ''): PaletteItem => ({
  title,
  group,
  note,
  run: () => {},
})
const items = [
  item('Toggle light and dark theme', 'Commands', 'General'),
  item('Slow checkout', 'Views'),
  item('checkout', 'Services', '12 profiles'),
  item('POST /checkout', 'Operations', 'storefront'),
  item('checkoutTotal', 'Functions', 'src/checkout.ts'),
  item('http.route', 'Labels'),
]
const titles = (typed: string): string[] => matchingItems(items, typed).map(each => each.title)

describe('matchingItems', () => {
  it('puts exact names first, then names that start with the text', () => {
    expect(titles('checkout')).toEqual(['checkout', 'checkoutTotal', 'Slow checkout', 'POST /checkout'])
  })

  it('finds words in titles, notes and groups', () => {
    expect(titles('dark general')).toEqual(['Toggle light and dark theme'])
    expect(titles('labels route')).toEqual(['http.route'])
    expect(titles('nothing')).toEqual([])
  })

  it('shows commands and views without a text', () => {
    expect(titles(' ')).toEqual(['Toggle light and dark theme', 'Slow checkout'])
  })

  it('limits each group', () => {
    const many = Array.from({ length: 100 }, (_, i) => item(`work ${i}`, 'Functions'))
    expect(matchingItems([...many, item('workshop', 'Services')], 'work')).toHaveLength(13)
  })
})

describe('idIn', () => {
  it('reads 32 hex digits with or without dashes', () => {
    expect(idIn(' 4BF92F3577B34DA6A3CE929D0E0E4736\n')).toBe('4bf92f3577b34da6a3ce929d0e0e4736')
    expect(idIn('4bf92f35-77b3-4da6-a3ce-929d0e0e4736')).toBe('4bf92f3577b34da6a3ce929d0e0e4736')
    expect(idIn('4bf92f35')).toBeUndefined()
    expect(idIn('0'.repeat(32))).toBeUndefined()
  })
})
