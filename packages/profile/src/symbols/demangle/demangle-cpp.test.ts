import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { MAX_OUTPUT } from './cpp-printer.ts'
import { demangleCpp } from './demangle-cpp.ts'
import { CPP_NAMES } from './testing/cpp-names.ts'

describe('demangleCpp', () => {
  test.each(CPP_NAMES)('%s', (mangled, text) => {
    expect(demangleCpp(mangled)).toBe(text)
  })

  test('accepts the extra underscore of Mach-O', () => {
    expect(demangleCpp('__ZN3foo3barEv')).toBe('foo::bar()')
  })

  // c++filt takes the parameters of these from the wrong function.
  test('resolves template parameters by the function that is printed', () => {
    expect(demangleCpp('_ZSt4moveIRZ1fIiEDaRT_EUlOS1_E_EONSt16remove_referenceIS1_E4typeES1_')).toBe(
      'std::remove_reference<f<int>(int&)::{lambda(auto:1&&)#1}&>::type&& std::move<f<int>(int&)::{lambda(auto:1&&)#1}&>(f<int>(int&)::{lambda(auto:1&&)#1}&)',
    )
  })
})

describe('demangleCpp returns undefined for', () => {
  for (const name of [
    '',
    '_',
    '_Z',
    '__Z',
    'main',
    '_Z3fo',
    '_ZN3fooE3',
    '_ZN3foo',
    '_Z3fooS9_',
    '_Z1fT_',
    '_ZNE',
    'Z3foov',
  ]) {
    test(`'${name}'`, () => {
      expect(demangleCpp(name)).toBeUndefined()
    })
  }
})

describe('demangleCpp of hostile names', () => {
  test('limits names that double with each part', () => {
    const part = (i: number): string => (i === 0 ? 'S_' : `S${(i - 1).toString(36).toUpperCase()}_`)
    let bomb = '_Z1f1a'
    for (let i = 0; i < 60; i++) bomb += `FvM${part(i * 2)}${part(i * 2)}E`
    expect(demangleCpp(bomb)?.length ?? 0).toBeLessThanOrEqual(MAX_OUTPUT)
    let pairs = '_Z1f1a'
    for (let i = 0; i < 60; i++) pairs += `1bI${part(i === 0 ? 0 : i + 1)}${part(i === 0 ? 0 : i + 1)}E`
    expect(demangleCpp(pairs)?.length ?? 0).toBeLessThanOrEqual(MAX_OUTPUT)
  })

  for (const [what, unit] of [
    ['pointers', 'P'],
    ['qualifiers', 'K'],
    ['functions', 'F'],
    ['nested names', 'N1a'],
    ['local names', 'Z1a'],
    ['arguments', '1aI'],
    ['expressions', 'XngX'],
    ['decltypes', 'DTng'],
    ['packs', 'J'],
    ['expansions', 'Dp'],
    ['lambdas', 'UlUl'],
    ['conversions', '1acv1bI'],
    ['literals', 'L_Z1f'],
    ['scopes', 'Xsr1a'],
    ['special names', 'GV'],
  ]) {
    test(`survives thousands of ${what}`, () => {
      for (const before of ['_Z', '_Z1f', '_Z1fI', '_ZN1f']) {
        expect(demangleCpp(before + unit.repeat(Math.floor(30_000 / unit.length)))).toBeUndefined()
      }
    })
  }

  test('limits a deep chain of back references', () => {
    let chain = '_Z1fPi'
    for (let i = 0; i < 5000; i++) chain += `PS${i === 0 ? '' : (i - 1).toString(36).toUpperCase()}_`
    expect(demangleCpp(chain)).toBeUndefined()
  })

  test('never throws', () => {
    const alphabet = fc.constantFrom(...'ZNKLISTEDPRFMCXJUvicdlbtsaepfor0123456789_.'.split(''))
    const random = fc.array(alphabet, { maxLength: 60 }).map(chars => `_Z${chars.join('')}`)
    const cut = fc
      .tuple(fc.constantFrom(...CPP_NAMES), fc.nat(200), fc.nat(200), fc.constantFrom(...CPP_NAMES))
      .map(([[a], from, to, [b]]) => a.slice(0, from) + b.slice(to))
    fc.assert(
      fc.property(fc.oneof(fc.string(), random, cut), name => {
        const text = demangleCpp(name)
        expect(text === undefined || text.length > 0).toBe(true)
      }),
      { numRuns: 3000 },
    )
  })
})
