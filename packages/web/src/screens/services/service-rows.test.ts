import { describe, expect, it } from 'vitest'
import type { ServiceRow } from './service-rows.ts'
import {
  changeText,
  requestRate,
  serviceTitle,
  serviceValue,
  shownServices,
  signedRatio,
  stepSums,
  totalsByType,
} from './service-rows.ts'

function row(service: string, seconds: number, more: Partial<ServiceRow> = {}): ServiceRow {
  const value = { type: 'cpu:ns', unit: 'ns', sum: String(seconds * 1e9), seconds: 60, steps: [] }
  return { service, profiles: 1, types: ['cpu:ns'], first: '0', last: '0', value, ...more }
}

const requests = { count: 120, errors: 0, p50: 1e6, p95: 2e6 }

describe('shownServices', () => {
  const idle: ServiceRow = { service: 'idle', profiles: 1, types: ['cpu:ns'], first: '0', last: '0' }
  const rows = [row('checkout', 6), idle, row('storefront', 60, { requests })]
  const order = (sort: 'cpu' | 'name' | 'requests', reverse = false, find = ''): string[] =>
    shownServices(rows, { find, sort, reverse }).map(each => each.service)

  it('puts the largest first and rows without a value last', () => {
    expect(order('cpu')).toEqual(['storefront', 'checkout', 'idle'])
    expect(order('cpu', true)).toEqual(['checkout', 'storefront', 'idle'])
    expect(order('requests')).toEqual(['storefront', 'checkout', 'idle'])
    expect(order('name')).toEqual(['checkout', 'idle', 'storefront'])
  })

  it('finds services by name and type', () => {
    expect(order('name', false, 'STORE')).toEqual(['storefront'])
    expect(order('name', false, 'cpu idle')).toEqual(['idle'])
    expect(order('name', false, 'heap')).toEqual([])
  })
})

describe('serviceTitle', () => {
  it('puts executables and missing names in brackets', () => {
    const titles = [row('shop', 1), row('rust-app', 1, { isExecutable: true }), row('', 1)].map(serviceTitle)
    expect(titles).toEqual(['shop', '(rust-app)', '(no service name)'])
  })
})

describe('serviceValue', () => {
  it('follows the normalisation', () => {
    const storefront = row('storefront', 60, { requests })
    const total = totalsByType([storefront, row('checkout', 20)]).get('cpu:ns')!
    const text = (per: Parameters<typeof serviceValue>[1]): string => serviceValue(storefront, per, total)
    expect(text('total')).toBe('1.00 min')
    expect(text('second')).toBe('1 core')
    expect(text('request')).toBe('500 ms/request')
    expect(text('share')).toBe('75.0%')
  })
})

describe('changeText', () => {
  it('marks a change whose interval does not contain zero', () => {
    expect(changeText({ ratio: 0.31, low: 0.27, high: 0.35 })).toEqual({
      text: '+31%',
      isSignificant: true,
      isMore: true,
      title: '95% interval: +27% to +35%',
    })
    expect(changeText({ ratio: -0.04, low: -0.1, high: 0.02 })).toMatchObject({ text: '−4%', isSignificant: false })
    expect(changeText({ ratio: 0.5 })).toMatchObject({ isSignificant: false, title: 'Too little data for an interval' })
  })

  it('writes large changes as a factor', () => {
    expect(signedRatio(2.1)).toBe('×3.1')
    expect(signedRatio(0.001)).toBe('0%')
  })
})

describe('requestRate', () => {
  it('has two digits', () => {
    expect(requestRate(2520, 60)).toBe('42/s')
    expect(requestRate(7, 60)).toBe('0.12/s')
    expect(requestRate(180_000, 60)).toBe('3,000/s')
  })
})

describe('stepSums', () => {
  it('has a value for each step of the range, also after the last profile', () => {
    const value = { type: 'cpu:ns', unit: 'ns', sum: '9', seconds: 60, steps: [{ step: 1, sum: 9 }] }
    expect(stepSums(row('checkout', 6, { value }), 4)).toEqual([undefined, 9, undefined, undefined])
  })
})
