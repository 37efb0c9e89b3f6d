import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { QuerySyntaxError, pointAt } from '../query-error.ts'
import { parseSelector } from './parse-selector.ts'
import { printSelector } from './testing/print-selector.ts'
import type { Matcher, ProfileType, Selector, StackPredicate } from './selector.ts'
import { BUILT_IN_KEYS, FIELDS, LEVELS, MAX_MATCHERS, MAX_SELECTOR_LENGTH, STACK_POSITIONS } from './selector.ts'

/** Removes the positions in the text. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => !/position/i.test(key))
      .map(([key, each]) => [key, plain(each)]),
  )
}

function fault(text: string): QuerySyntaxError {
  try {
    parseSelector(text)
  } catch (error) {
    if (error instanceof QuerySyntaxError) return error
    throw error
  }
  throw new Error(`${text} was parsed`)
}

describe('reading', () => {
  test('parses all parts together', () => {
    const text =
      'cpu:nanoseconds{service.name="checkout", region=~"eu.*", thread.name!="gc", http.status>=500, thread.id, !debug} | frame "gc"'
    const { profileType, matchers, predicates } = parseSelector(text)
    expect(profileType).toMatchObject({ type: 'cpu', unit: 'nanoseconds', position: 0 })
    expect(matchers.map(each => printSelector({ profileType: undefined, matchers: [each], predicates: [] }))).toEqual([
      '{service.name="checkout"}',
      '{region=~"eu.*"}',
      '{thread.name!="gc"}',
      '{http.status>=500}',
      '{thread.id}',
      '{!debug}',
    ])
    expect(matchers.map(each => text.slice(each.position, each.position + 3))).toEqual([
      'ser',
      'reg',
      'thr',
      'htt',
      'thr',
      '!de',
    ])
    expect(predicates).toMatchObject([{ place: 'frame', field: 'name', regex: false, value: 'gc', negated: false }])
  })

  it('reads the file of a function, but not of a library', () => {
    expect(parseSelector('| frame "gc" in "heap.ts"').predicates).toMatchObject([{ value: 'gc', file: 'heap.ts' }])
    expect(() => parseSelector('| frame mapping="libc" in "heap.ts"')).toThrow(QuerySyntaxError)
    expect(() => parseSelector('| frame "gc" in')).toThrow('the name of a file in quotes')
  })

  test.each([
    ['', '', { type: undefined }],
    ['cpu', 'cpu', { type: 'cpu', unit: undefined, name: undefined }],
    ['process_cpu:cpu:ns:cpu:ns', 'process_cpu:cpu:ns:cpu:ns', { name: 'process_cpu', type: 'cpu', periodUnit: 'ns' }],
    ['memory:inuse_space:bytes:space:bytes:delta', 'memory:inuse_space:bytes:space:bytes', { type: 'inuse_space' }],
    ['block:contentions:count::', 'block:contentions:count::', { periodType: '', periodUnit: '' }],
    ['"wall clock":"{samples}"', '"wall clock":"{samples}"', { type: 'wall clock', unit: '{samples}' }],
  ])('parses the profile type %s', (text, printed, content) => {
    const selector = parseSelector(text)
    expect(printSelector(selector)).toBe(printed)
    expect({ type: undefined, ...selector.profileType }).toMatchObject(content)
  })

  test.each([
    [`{a='it\\'s "x"'}`, `it's "x"`],
    ['{a="\\a\\b\\f\\n\\r\\t\\v\\\\\\x41\\101\\u00e9\\U0001F600"}', '\x07\b\f\n\r\t\v\\AA\u00e9\u{1f600}'],
    ['{a=`raw \\d+\n"`}', 'raw \\d+\n"'],
    ['{a=9223372036854775807}', 9223372036854775807n],
    ['{a=-9223372036854775808}', -9223372036854775808n],
    ['{a=+5}', 5n],
    ['{a=5.0}', 5],
    ['{a=-1e-3}', -0.001],
    ['{a=.5}', 0.5],
    ['{a=true}', true],
    ['{a="true"}', 'true'],
  ])('parses the value of %s', (text, value) => {
    expect(parseSelector(text).matchers).toMatchObject([{ kind: 'value', operator: '=', value }])
  })

  test('distinguishes levels from keys', () => {
    const { matchers } = parseSelector('{resource:region="a", resource.region="b", "resource:region"="c", "sample"}')
    expect(plain(matchers)).toMatchObject([
      { level: 'resource', key: 'region' },
      { level: undefined, key: 'resource.region' },
      { level: undefined, key: 'resource:region' },
      { level: undefined, key: 'sample' },
    ])
  })

  test('parses stack predicates', () => {
    const { predicates } = parseSelector('{} | frame =~"a.*" | !leaf file="x.go" | from system_name=~"main" |leaf"x"')
    expect(plain(predicates)).toEqual([
      { negated: false, place: 'frame', field: 'name', regex: true, value: 'a.*' },
      { negated: true, place: 'leaf', field: 'file', regex: false, value: 'x.go' },
      { negated: false, place: 'from', field: 'system_name', regex: true, value: 'main' },
      { negated: false, place: 'leaf', field: 'name', regex: false, value: 'x' },
    ])
  })
})

describe('refusing', () => {
  test.each([
    ['{a=b}', 3, 'put texts in quotes'],
    ['{a="b}', 3, 'closing "'],
    ['{a="b', 3, 'closing "'],
    ['{a="b\n"}', 3, 'closing "'],
    ['{a', 2, 'instead of a comma or }'],
    ['{a="1" b="2"}', 7, 'a comma'],
    ['{a=~5}', 4, 'regular expression'],
    ['{a<"5"}', 3, 'a number'],
    ['{a=9223372036854775808}', 3, '64 bits'],
    ['{a=1e999}', 3, 'doubles'],
    ['{a="\\q"}', 4, 'escape'],
    ['{a="\\xff"}', 4, 'byte'],
    ['{a="\\ud800"}', 4, 'not a character'],
    ['{a="\ud800"}', 3, 'Unicode'],
    ['{span:x=1}', 1, 'is not one of'],
    ['{5x=1}', 1, 'not a name'],
    ['{trace.id="12"}', 10, '32 hex digits'],
    ['{trace.id!="00000000000000000000000000000001"}', 1, 'requires ='],
    ['{!span.id}', 1, 'requires ='],
    ['{profile.id=5}', 12, 'hex digits'],
    ['{scope.name=5}', 12, 'a text'],
    ['a:b:c', 0, '1, 2 or 5 parts, not 3; if the name contains a colon, quote it: "a:b":c'],
    ['a:', 0, 'empty part'],
    ['cpu | grep "x"', 6, 'frame, from, leaf'],
    ['cpu | frame', 11, 'the end instead of a text'],
    ['cpu | frame file!="x"', 16, 'put the ! before'],
    ['cpu | frame color="x"', 12, 'one of name'],
    ['cpu {a} x', 8, 'instead of'],
    ['cpu ; drop', 4, 'is not valid here'],
    ['}', 0, 'instead of'],
  ])('%s', (text, position, message) => {
    const error = fault(text)
    expect(error.message).toContain(message)
    expect(error.position).toBe(position)
  })

  test('shows the position', () => {
    expect(fault('cpu{a=b}').pointed).toBe('cpu{a=b}\n      ^')
    expect(fault('{a="1",\n\tb=c}').pointed).toBe('\tb=c}\n\t  ^')
    expect(pointAt(`${'x'.repeat(500)}!`, 500).split('\n')[1]).toHaveLength(62)
  })

  test('rejects selectors that are too long', () => {
    expect(fault(' '.repeat(MAX_SELECTOR_LENGTH + 1)).position).toBe(MAX_SELECTOR_LENGTH)
    const many = Array.from({ length: MAX_MATCHERS + 1 }, (_, i) => `a${i}`)
    expect(fault(`{${many.join()}}`).message).toContain('matchers')
    expect(fault(`{}${'|frame "x"'.repeat(17)}`).message).toContain('predicates')
  })

  test('throws nothing but syntax errors, for any text', () => {
    const pieces = [
      '{',
      '}',
      '"',
      "'",
      '`',
      '\\',
      'a',
      ':',
      '=',
      '!',
      '~',
      '<',
      '|',
      ',',
      '1',
      '.',
      '-',
      'frame',
      ' ',
      '\n',
    ]
    const soup = fc.array(fc.oneof(fc.constantFrom(...pieces), fc.string({ maxLength: 3 })), { maxLength: 30 })
    fc.assert(
      fc.property(soup, parts => {
        const text = parts.join('')
        try {
          const printed = printSelector(parseSelector(text))
          expect(printSelector(parseSelector(printed))).toBe(printed)
        } catch (error) {
          if (!(error instanceof QuerySyntaxError)) throw error
          expect(error.position).toBeGreaterThanOrEqual(0)
          expect(error.position).toBeLessThanOrEqual(text.length)
        }
      }),
      { numRuns: 2000 },
    )
  })
})

const text = fc.string({ unit: 'binary', maxLength: 8 })
const partText = fc.oneof(fc.constantFrom('cpu', 'nanoseconds', '1', '{samples}', '%'), text)
const position = { position: 0 }
const profileType: fc.Arbitrary<ProfileType> = fc.oneof(
  fc
    .record({
      type: partText.filter(t => t !== ''),
      unit: fc.option(
        partText.filter(t => t !== ''),
        { nil: undefined },
      ),
    })
    .map(each => ({ name: undefined, periodType: undefined, periodUnit: undefined, ...each, ...position })),
  fc
    .record({
      name: partText,
      type: partText.filter(t => t !== ''),
      unit: partText,
      periodType: partText,
      periodUnit: partText,
    })
    .map(each => ({ ...each, ...position })),
)
const key = fc.record({
  level: fc.constantFrom(undefined, ...LEVELS),
  key: fc
    .oneof(fc.constantFrom('service.name', 'a-b', 'x/y', '5', 'frame'), text)
    .filter(k => !BUILT_IN_KEYS.some(b => b === k)),
})
const value = fc.oneof(
  fc.record({ operator: fc.constantFrom('=', '!=', '=~', '!~'), value: text }),
  fc.record({
    operator: fc.constantFrom('=', '!=', '<', '<=', '>', '>='),
    value: fc.oneof(
      fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
      fc.double({ noDefaultInfinity: true, noNaN: true }),
    ),
  }),
  fc.record({ operator: fc.constantFrom('=', '!='), value: fc.boolean() }),
)
const matcher = fc.oneof(
  fc.tuple(key, value).map(([k, v]) => ({ kind: 'value', ...k, ...v, ...position, valuePosition: 0 }) as Matcher),
  fc.tuple(key, fc.boolean()).map(([k, present]) => ({ kind: 'presence', ...k, present, ...position }) as Matcher),
)
const condition = {
  negated: fc.boolean(),
  place: fc.constantFrom(...STACK_POSITIONS),
  regex: fc.boolean(),
  value: text,
  position: fc.constant(0),
  valuePosition: fc.constant(0),
}
const predicate: fc.Arbitrary<StackPredicate> = fc.oneof(
  fc.record({ ...condition, field: fc.constantFrom(...FIELDS) }),
  fc.record({ ...condition, field: fc.constant('name' as const), file: text }),
)
const selector: fc.Arbitrary<Selector> = fc.record({
  profileType: fc.option(profileType, { nil: undefined }),
  matchers: fc.array(matcher, { maxLength: 5 }),
  predicates: fc.array(predicate, { maxLength: 3 }),
})

describe('printing', () => {
  test('parses what it prints', () => {
    fc.assert(
      fc.property(selector, each => {
        const printed = printSelector(each)
        const again = parseSelector(printed)
        expect(plain(again)).toEqual(plain(each))
        expect(printSelector(again)).toBe(printed)
      }),
    )
  })
})
