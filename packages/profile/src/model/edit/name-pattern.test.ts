// Names and expressions of RE2's syntax. pprof compiles them with Go's regexp package.
import { expect, test } from 'vitest'
import { NamePattern } from './name-pattern.ts'

test.each([
  ['malloc', ['malloc'], ['my_malloc', 'mallocs', '']],
  ['malloc|calloc|operator new(\\[\\])?', ['calloc', 'operator new', 'operator new[]'], ['new', 'mallocalloc']],
  ['.*::Alloc(ate)?', ['a::Alloc', 'b::c::Allocate'], ['Alloc', 'a::Allocated']],
  ['runtime\\.(mallocgc|newobject)', ['runtime.mallocgc'], ['runtimeXmallocgc']],
  ['(?i)malloc', ['MALLOC', 'Malloc'], ['mallox']],
  ['(?i:m)alloc', ['Malloc'], ['MALLOC']],
  ['a(?P<name>b)(?:c)', ['abc'], ['ab']],
  ['[a-c_]+[^0-9]', ['ab_x'], ['ab1', 'x']],
  ['[[:alpha:]]+[\\d.-]*', ['ab1.2-3'], ['1']],
  ['[]a]+', [']a'], ['b']],
  ['\\pL+\\p{Greek}\\PL', ['xα1'], ['x11']],
  ['a{2}b{1,}c{0,2}', ['aab', 'aabbcc'], ['ab', 'aabccc']],
  ['a+?b*?', ['aab'], ['b']],
  ['\\bmain\\b.*', ['main', 'main.x'], ['mainx']],
  ['^main$', ['main'], ['amain']],
  ['\\Aa\\z', ['a'], ['ab']],
  ['\\x41\\x{1F600}\\101', ['A😀A'], ['AA']],
  ['.', ['😀', 'a'], ['\n', 'ab']],
  ['(?s).', ['\n'], ['']],
  ['', [''], ['a']],
  ['a{,2}', ['a{,2}'], ['aa']],
  ['(|a)+', ['', 'aa'], ['b']],
])('NamePattern %s matches whole names', (source, matching, others) => {
  const pattern = new NamePattern(source)
  expect(matching.filter(name => !pattern.test(name))).toEqual([])
  expect(others.filter(name => pattern.test(name))).toEqual([])
})

test('NamePattern limits the steps for all names together', () => {
  const pattern = new NamePattern('(a*b?){100}', 10_000)
  expect(pattern.test('aa')).toBe(true)
  expect(() => pattern.test('a'.repeat(1000))).toThrow('takes too long')
})
