import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Transform } from '@hearth/profile'
import { FRAME_ORIGINS } from '@hearth/profile'
import { MAX_TRANSFORMS, formatTransforms, parseTransforms } from './transform-text.ts'

const text = fc.oneof(
  fc.string(),
  fc.constantFrom('(*T).Method', '*', '**', '*.', '*_', '*-', 'a*_b', 'std::vector<int>'),
)
const transform: fc.Arbitrary<Transform> = fc.oneof(
  fc.record({
    kind: fc.constantFrom(
      'focus-function' as const,
      'merge-function' as const,
      'drop-function' as const,
      'collapse-function' as const,
      'collapse-recursion' as const,
      'collapse-direct-recursion' as const,
    ),
    function: fc.oneof(fc.record({ name: text }), fc.record({ name: text, file: text })),
  }),
  fc.record({
    kind: fc.constantFrom('focus-subtree' as const, 'merge-node' as const, 'drop-subtree' as const),
    path: fc.array(text, { minLength: 1 }),
  }),
  fc.record({
    kind: fc.constantFrom('collapse-library' as const, 'merge-library' as const, 'drop-library' as const),
    mapping: text,
  }),
  fc.record({ kind: fc.constant('merge-origin' as const), origin: fc.constantFrom(...FRAME_ORIGINS) }),
  fc.constantFrom({ kind: 'collapse-all-recursion' as const }, { kind: 'collapse-all-direct-recursion' as const }),
)

test('parseTransforms reads what formatTransforms writes', () => {
  fc.assert(
    fc.property(fc.array(transform, { maxLength: 8 }), transforms => {
      const written = formatTransforms(transforms)
      fc.pre(written.length <= 8192)
      expect(parseTransforms(written)).toEqual({ transforms, ignored: [] })
    }),
  )
})

test('formatTransforms writes short text that a URL does not encode', () => {
  const written = formatTransforms([
    { kind: 'focus-function', function: { name: 'main' } },
    { kind: 'collapse-all-recursion' },
    { kind: 'focus-subtree', path: ['main', 'run'] },
  ])
  expect(written).toBe('f*.main*_R*_s*.main*.run')
  expect(new URLSearchParams({ t: written }).toString()).toBe(`t=${written}`)
})

test('parseTransforms reports and skips unknown transforms', () => {
  expect(parseTransforms('f*.main*_zz*.x*_R*.x*_s*_L*_f*.a*b*_O*.other')).toEqual({
    transforms: [{ kind: 'focus-function', function: { name: 'main' } }],
    ignored: ['zz*.x', 'R*.x', 's', 'L', 'f*.a*b', 'O*.other'],
  })
})

test('parseTransforms reads any text without failing, within its limits', () => {
  fc.assert(fc.property(fc.string(), any => void parseTransforms(any)))
  const many = parseTransforms(Array.from({ length: 100 }, () => 'R').join('*_'))
  expect([many.transforms.length, many.ignored.length]).toEqual([MAX_TRANSFORMS, 100 - MAX_TRANSFORMS])
  expect(parseTransforms('f*.'.padEnd(10_000, 'x')).transforms).toEqual([])
})
