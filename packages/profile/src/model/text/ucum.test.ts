import { describe, expect, it } from 'vitest'
import { isUcum } from './ucum.ts'

describe('isUcum', () => {
  it.each([
    ...[
      '1',
      's',
      'ms',
      'us',
      'ns',
      'By',
      'KiBy',
      'MiBy',
      'kBy',
      'bit',
      'Hz',
      'GHz',
      '%',
      'Cel',
      'mol',
      'kg',
      'min',
      'h',
      'd',
    ],
    ...[
      '{samples}',
      '{requests}/s',
      '1/s',
      '/s',
      's-1',
      'By/s',
      'kg.m2.s-2',
      '10*3',
      '10*-6.m',
      '(kg.m)/s2',
      'm/(s.A)',
    ],
    ...['[in_i]', 'mm[Hg]', 'B[SPL]', 'dB', 'ms{cpu}', '1{fault}', 'cal_th', 'Ohm', "''", '{}', '[degF]', 'mo_s'],
  ])('accepts %s', unit => {
    expect(isUcum(unit)).toBe(true)
  })

  it.each([
    ...[
      '',
      'nanoseconds',
      'sec',
      'bytes',
      'KB/sec',
      'count',
      'samples',
      'ms ',
      ' ms',
      'm s',
      'kmin',
      'foo',
      's/',
      '//s',
      '(s',
    ],
    ...['s)', '{open', 'm^2', 's--1', 'BY', 'hours', 'x'.repeat(300)],
  ])('rejects "%s"', unit => {
    expect(isUcum(unit)).toBe(false)
  })
})
