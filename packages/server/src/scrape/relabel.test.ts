import { describe, expect, it } from 'vitest'
import type { RelabelRule } from './relabel.ts'
import { relabel } from './relabel.ts'

const rule = (given: Partial<RelabelRule>): RelabelRule => ({
  source_labels: [],
  separator: ';',
  target_label: '',
  regex: '(.*)',
  modulus: 0,
  replacement: '$1',
  action: 'replace',
  ...given,
})

const labels = { a: 'foo', b: 'bar', c: 'baz' }

describe('relabel', () => {
  it('joins source labels, matches the whole value and replaces groups', () => {
    const rules = [
      rule({ source_labels: ['a', 'b'], regex: 'f(.*);(?P<rest>.*)r', target_label: 'd', replacement: '$1-${rest}$$' }),
    ]
    expect(relabel(labels, rules)).toEqual({ ...labels, d: 'oo-ba$' })
    expect(relabel(labels, [rule({ source_labels: ['a'], regex: 'fo', target_label: 'd' })])).toEqual(labels)
  })

  it('removes a label that is replaced by nothing', () => {
    expect(relabel(labels, [rule({ target_label: 'a', replacement: '' })])).toEqual({ b: 'bar', c: 'baz' })
  })

  it('keeps and drops targets by pattern and by equality', () => {
    expect(relabel(labels, [rule({ source_labels: ['a'], regex: 'f.*', action: 'keep' })])).toEqual(labels)
    expect(relabel(labels, [rule({ source_labels: ['a'], regex: 'b.*', action: 'keep' })])).toBeUndefined()
    expect(relabel(labels, [rule({ source_labels: ['a'], regex: 'f.*', action: 'drop' })])).toBeUndefined()
    expect(relabel(labels, [rule({ source_labels: ['a'], target_label: 'b', action: 'keepequal' })])).toBeUndefined()
    expect(relabel(labels, [rule({ source_labels: ['a'], target_label: 'b', action: 'dropequal' })])).toEqual(labels)
  })

  it('maps, drops and keeps labels by name', () => {
    const meta = { __meta_label_app: 'shop', a: 'x' }
    expect(relabel(meta, [rule({ regex: '__meta_label_(.+)', action: 'labelmap' })])).toEqual({ ...meta, app: 'shop' })
    expect(relabel(meta, [rule({ regex: '__meta.*', action: 'labeldrop' })])).toEqual({ a: 'x' })
    expect(relabel(meta, [rule({ regex: 'a', action: 'labelkeep' })])).toEqual({ a: 'x' })
  })

  it('divides targets by the same hash as Prometheus', () => {
    const rules = [rule({ source_labels: ['c'], target_label: 'd', modulus: 1000, action: 'hashmod' })]
    expect(relabel(labels, rules)).toEqual({ ...labels, d: '976' })
  })

  it('changes the case of values', () => {
    const upper = rule({ source_labels: ['a'], target_label: 'a', action: 'uppercase' })
    expect(relabel(labels, [upper])).toEqual({ ...labels, a: 'FOO' })
    expect(relabel({ a: 'FOO' }, [{ ...upper, action: 'lowercase' }])).toEqual({ a: 'foo' })
  })
})
