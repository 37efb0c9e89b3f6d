import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { demangleRust } from './demangle-rust.ts'
import { decodePunycode } from './punycode.ts'

const LEGACY: readonly (readonly [string, string])[] = [
  ['_ZN4main4main17h0123456789abcdefE', 'main::main'],
  [
    '_ZN71_$LT$Test$u20$$u2b$$u20$$u27$static$u20$as$u20$foo..Bar$LT$Test$GT$$GT$3bar17h930b740aa94f1d3aE',
    "<Test + 'static as foo::Bar<Test>>::bar",
  ],
  [
    '_ZN4core3ops8function6FnOnce40call_once$u7b$$u7b$vtable.shim$u7d$$u7d$17h0123456789abcdefE',
    'core::ops::function::FnOnce::call_once{{vtable.shim}}',
  ],
  [
    '_ZN5alloc7raw_vec19RawVec$LT$T$C$A$GT$7reserve17h0123456789abcdefE.llvm.123456',
    'alloc::raw_vec::RawVec<T,A>::reserve',
  ],
  ['__ZN4test3foo17h0123456789abcdefE.cold', 'test::foo [clone .cold]'],
  ['_ZN17$RF$$LP$A$C$B$RP$3bar17h0123456789abcdefE', '&(A,B)::bar'],
]

const V0: readonly (readonly [string, string])[] = [
  ['_RNvC6_123foo3bar', '123foo::bar'],
  ['_RNvCs1234_7mycrate4main', 'mycrate::main'],
  ['_RNqCs4fqI2P2rA04_11utf8_identsu30____7hkackfecea1cbdathfdh9hlq6y', 'utf8_idents::საჭმელად_გემრიელი_სადილი'],
  ['_RNCNCNgCs6DXkGYLi8lr_2cc5spawn00B5_', 'cc::spawn::{closure#0}::{closure#0}'],
  [
    '_RNvMNtNtCs1NFDuedFL3Y_15rustc_mir_build7builder3cfgNtB4_3CFG14push_fake_read',
    '<rustc_mir_build::builder::CFG>::push_fake_read',
  ],
  [
    '_RNvXNvXsq_NtCs2hCOSJlNTWo_12tracing_core5fieldDNtB8_5ValueEL_NtNtCsgEmfK2I1SDS_4core3fmt5Debug3fmtNtB2_12NullCallsiteNtNtBa_8callsite8Callsite12set_interest',
    '<<dyn tracing_core::field::Value as core::fmt::Debug>::fmt::NullCallsite as tracing_core::callsite::Callsite>::set_interest',
  ],
  [
    '_RNCNCNvNtNtCshek8c565Rq6_18rustc_attr_parsing7context5early17ATTRIBUTE_PARSERS0sd_0B9_',
    'rustc_attr_parsing::context::early::ATTRIBUTE_PARSERS::{closure#0}::{closure#15}',
  ],
  [
    '_RNvXs1g_NtCs8NwYtU1Mohg_4core3fmtRINtNtNtNtCsfYjo4IdSolJ_12aho_corasick6packed5teddy7generic3FatNtNtNtB8_9core_arch3x867___m256iKj2_ENtB6_5Debug3fmtBF_',
    '<&aho_corasick::packed::teddy::generic::Fat<core::core_arch::x86::__m256i, 2> as core::fmt::Debug>::fmt',
  ],
  [
    '_RINvNtCs8NwYtU1Mohg_4core3ptr9drop_glueINtNtCsbEht8wFNRx7_5alloc5boxed3BoxDINtNtNtB4_3ops8function6FnOnceuEp6OutputuNtNtB4_6marker4SendEL_EECsecl2Pfoe0A2_12rustc_expand',
    'core::ptr::drop_glue::<alloc::boxed::Box<dyn core::ops::function::FnOnce<(), Output = ()> + core::marker::Send>>',
  ],
  [
    '_RNvXNtCs3MG2ofusW15_21rustc_data_structures6base_nNtB2_11BaseNStringNtNtNtCsgEmfK2I1SDS_4core3ops5deref5Deref5deref',
    '<rustc_data_structures::base_n::BaseNString as core::ops::deref::Deref>::deref',
  ],
  [
    '_RINvYNtNtCsdadwybgsbvk_12rustc_middle2ty2TyINtNtCsdoLGDhjbLAL_13rustc_type_ir8inherent2TyNtNtB5_7context6TyCtxtE14new_projectionAB3_j1_ECsa4mAjElOM1d_10rustc_lint',
    '<rustc_middle::ty::Ty as rustc_type_ir::inherent::Ty<rustc_middle::ty::context::TyCtxt>>::new_projection::<[rustc_middle::ty::Ty; 1]>',
  ],
  [
    '_RNvXsX_NtNtCsgEmfK2I1SDS_4core3str4iterINtB5_5SplitcENtNtNtNtB9_4iter6traits8iterator8Iterator4nextCsjxgNLT6K5IZ_10serde_json',
    '<core::str::iter::Split<char> as core::iter::traits::iterator::Iterator>::next',
  ],
  ['_RNvMsM_CsbAUrQFqRKo_16rustc_proc_macroNtB5_7Literal12u16_suffixed', '<rustc_proc_macro::Literal>::u16_suffixed'],
  [
    '_RINbNbCskIICzLVDPPb_5alloc5alloc8box_freeDINbNiB4_5boxed5FnBoxuEp6OutputuEL_ECs1iopQbuBiw2_3std',
    'alloc::alloc::box_free::<dyn alloc::boxed::FnBox<(), Output = ()>>',
  ],
  ['_RINtC8arrayvec8ArrayVechKj7b_E', 'arrayvec::ArrayVec::<u8, 123>'],
  ['_RMC0INtC8arrayvec8ArrayVechKj7b_E', '<arrayvec::ArrayVec<u8, 123>>'],
  ['_RMCs4fqI2P2rA04_13const_genericINtB0_8UnsignedKhb_E', '<const_generic::Unsigned<11>>'],
  ['_RMs_Cs4fqI2P2rA04_13const_genericINtB2_6SignedKs98_E', '<const_generic::Signed<152>>'],
  ['_RMs0_Cs4fqI2P2rA04_13const_genericINtB3_6SignedKanb_E', '<const_generic::Signed<-11>>'],
  ['_RMs4_Cs4fqI2P2rA04_13const_genericINtB3_4BoolKb1_E', '<const_generic::Bool<true>>'],
  ['_RMsd_Cs4fqI2P2rA04_13const_genericINtB3_4CharKc76_E', "<const_generic::Char<'v'>>"],
  ['_RMsf_Cs4fqI2P2rA04_13const_genericINtB3_4CharKca_E', "<const_generic::Char<'\\n'>>"],
  ['_RMCs4fqI2P2rA04_13const_genericINtB0_3FooKpE', '<const_generic::Foo<_>>'],
  ['_RINvC1a1fKRe616263_E', 'a::f::<"abc">'],
  ['_RINvC1a1fKRRe616263_E', 'a::f::<{&"abc"}>'],
  ['_RINvC1a1fKTh1_h2_EE', 'a::f::<{(1, 2)}>'],
  ['_RINvC1a1fKAh1_h2_EE', 'a::f::<{[1, 2]}>'],
  ['_RINvC1a1fKVNtC1a1SS1xh1_1yh2_EE', 'a::f::<{a::S { x: 1, y: 2 }}>'],
  ['_RINvC1a1fFG_RL0_hEuE', "a::f::<for<'a> fn(&'a u8)>"],
  ['_RINvC1a1fFUKCPhOlEjE', 'a::f::<unsafe extern "C" fn(*const u8, *mut i32) -> usize>'],
  ['_RINvC1a1fThETShAhj3_EE', 'a::f::<(u8,), ([u8], [u8; 3])>'],
  ['_RINvC1a1fQhRSzE', 'a::f::<&mut u8, &[!]>'],
  ['_RNSC1a2fn', 'a::{shim:fn#0}'],
]

describe('demangleRust of legacy names', () => {
  test.each(LEGACY)('%s', (mangled, text) => {
    expect(demangleRust(mangled)).toBe(text)
  })
})

describe('demangleRust of v0 names', () => {
  test.each(V0)('%s', (mangled, text) => {
    expect(demangleRust(mangled)).toBe(text)
  })

  test('handles suffixes of clones', () => {
    expect(demangleRust('_RNvC1a1f.cold')).toBe('a::f [clone .cold]')
    expect(demangleRust('_RNvC1a1f.llvm.12345')).toBe('a::f')
  })
})

describe('demangleRust returns undefined for', () => {
  for (const name of [
    '',
    '_R',
    '_R1NvC1a1f',
    '_RNvC1a',
    '_RNvB_1f',
    '_RNvC1a1f!',
    '_ZN3foo3barEv',
    '_ZN3foo17h0123456789abcdeE',
    '_ZN17h0123456789abcdefE',
    'main',
  ]) {
    test(`'${name}'`, () => {
      expect(demangleRust(name)).toBeUndefined()
    })
  }
})

describe('demangleRust of hostile names', () => {
  test('limits nested back references', () => {
    let bomb = '_RINvC1a1f'
    let last = bomb.length - 2
    for (let i = 0; i < 40; i++) {
      const here = bomb.length - 2
      bomb += i === 0 ? 'ThhE' : `TB${base62(last)}B${base62(last)}E`
      last = here
    }
    expect(demangleRust(`${bomb}E`)).toBeUndefined()
  })

  test('rejects a back reference to itself or to a later part', () => {
    expect(demangleRust('_RB_')).toBeUndefined()
    expect(demangleRust('_RNvB9_1f')).toBeUndefined()
  })

  for (const unit of ['T', 'R', 'FG', 'D', 'I', 'NvI', 'M', 'X', 'Y', 'AA', 'KT', 'FGzz_']) {
    test(`survives thousands of ${unit}`, () => {
      for (const before of ['_R', '_RINvC1a1f', '_RM']) {
        expect(demangleRust(before + unit.repeat(Math.floor(30_000 / unit.length)))).toBeUndefined()
      }
    })
  }

  test('never throws', () => {
    const chars = fc.array(fc.constantFrom(...'RCNIMXYBTSAFDLKGUEvthjspu0123456789_e'.split('')), { maxLength: 60 })
    const random = chars.map(list => `_R${list.join('')}`)
    const cut = fc
      .tuple(fc.constantFrom(...V0, ...LEGACY), fc.nat(120), fc.nat(120), fc.constantFrom(...V0))
      .map(([[a], from, to, [b]]) => a.slice(0, from) + b.slice(to))
    fc.assert(
      fc.property(fc.oneof(fc.string(), random, cut), name => {
        const text = demangleRust(name)
        expect(text === undefined || typeof text === 'string').toBe(true)
      }),
      { numRuns: 3000 },
    )
  })
})

test('decodePunycode decodes identifiers', () => {
  expect(decodePunycode('gdel_5qa')).toBe('gödel')
  expect(decodePunycode('gdel_')).toBeUndefined()
  expect(decodePunycode('99999999')).toBeUndefined()
})

function base62(value: number): string {
  if (value === 0) return '_'
  const digits = '0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ'
  let text = ''
  for (let rest = value - 1; ; rest = Math.floor(rest / 62)) {
    text = digits[rest % 62] + text
    if (rest < 62) return `${text}_`
  }
}
