import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { MAX_RULE_LENGTH, MAX_RULE_NESTING, parseRule } from './parse-rule.ts'
import { RuleError } from './rule-error.ts'
import type { Rule } from './rule.ts'
import { variablesOf } from './rule.ts'
import { compileRoute } from './route-rules.ts'

/** Writes the rule with parentheses around everything, to show the precedence. */
function shown(rule: Rule): string {
  if (rule.kind === 'not') return `!${shown(rule.rule)}`
  if (rule.kind !== 'call') return `(${rule.rules.map(shown).join(rule.kind === 'and' ? ' & ' : ' | ')})`
  const given = rule.arguments.map(each => (each.kind === 'text' ? JSON.stringify(each.parts) : String(each.value)))
  return `${rule.name}(${given.join(',')})`
}

const read = (text: string): string => shown(parseRule(text).rule)

function fault(text: string): RuleError {
  try {
    compileRoute(text)
  } catch (error) {
    if (error instanceof RuleError) return error
    throw error
  }
  throw new Error(`${text} is a rule`)
}

describe('parseRule applies precedence to', () => {
  test.each([
    ['A() || B() && C()', '(A() | (B() & C()))'],
    ['(A() || B()) && C()', '((A() | B()) & C())'],
    ['!A() && !!B()', '(!A() & !!B())'],
    ['!(A() || B())', '!(A() | B())'],
    ['A()&&B()&&C()', '(A() & B() & C())'],
    [' A (\n"x" ,`y`, 1.5e2, ERROR )', 'A(["x"],["y"],150,ERROR)'],
    ['LogBody({a{2}|[}]})', 'LogBody(["{a{2}|[}]}"])'],
  ])('%s', (text, expected) => expect(read(text)).toBe(expected))
})

test('parseRule reads literal text in backticks and escapes in quotes', () => {
  expect(read('A(`a\\n"`)')).toBe('A(["a\\\\n\\""])')
  expect(read('A("a\\t\\"\\x41\\u00e9\\U0001F600")')).toBe(`A(${JSON.stringify(['a\t"Aé😀'])})`)
})

test('parseRule reads variables in texts', () => {
  const parsed = parseRule('Path(`/{{.Vars.A}}/{x:{{ .Env.B-2 }}}`) && SpanSlower({{.Vars.MS}})')
  expect([...variablesOf(parsed)]).toEqual(['A', 'B-2', 'MS'])
  expect(read('A(`a{{.Vars.X}}b`)')).toBe('A(["a",{"variable":"X"},"b"])')
})

describe('RuleError', () => {
  test.each([
    ['', 0, 'expected a predicate'],
    ['All(', 4, 'expected an argument, found the end'],
    ['All() &&', 8, 'expected a predicate'],
    ['All() & All()', 6, 'a single "&"'],
    ['All() All()', 6, 'expected "&&", "||" or the end'],
    ['(All()', 6, 'expected ")"'],
    ['All', 3, 'expected "("'],
    ['Any()', 0, 'unknown predicate "Any"; there are All, Type'],
    ['All(1)', 0, 'All takes 0 arguments, not 1'],
    ['Type()', 0, 'Type takes 1 argument, not 0'],
    ['Method()', 0, 'Method takes at least 1 argument, not 0'],
    ['Type(5)', 5, 'expected a text'],
    ['All() && Category(REQEST)', 18, 'unknown category "REQEST"; there are MESSAGE, REQUEST, RESPONSE'],
    ['Category(UNKNOWN)', 9, 'unknown category'],
    ['Path(`/a', 5, 'closing backtick'],
    ['Path("/a', 5, 'closing quote'],
    ['Path("/\\d")', 7, 'unknown escape'],
    ['Path(`/a/pre{x}`)', 12, 'must be the complete text'],
    ['Path(`/a/{x`)', 9, 'closing brace'],
    ['Path(`/a/{x}y`)', 9, 'must be the complete text'],
    ['Path("/\\u0061/{x:(}")', 17, 'regular expression'],
    ['Path(`/{^a$|^b$}`)', 8, 'is not a name'],
    ['Path(`/{a...}/b`)', 14, 'nothing can follow'],
    ['Header(`X`, `{(}`)', 14, 'regular expression'],
    ['Header(`X`, {(})', 13, 'regular expression'],
    ['Path(`/{x:a{1001}}`)', 10, 'repeat'],
    ['Path(`/{x:(a{30}){30}}`)', 10, 'instructions'],
    ['Type(`{{.Secrets.X}}`)', 6, '"Secrets" is not available to rules'],
    ['Type(`a`) ~', 10, 'unexpected character "~"'],
  ])('%s', (text, offset, what) => {
    const error = fault(text)
    expect(error.what).toContain(what)
    expect([text, error.offset]).toEqual([text, offset])
    expect(error.message.split('\n')[2]).toBe(`${' '.repeat(offset + 2)}^`)
  })

  test('shows a long rule around the position', () => {
    const text = `${'All() &&\n'.repeat(30)}Nope() ${'&& All()'.repeat(30)}`
    const [, line, caret] = fault(text).message.split('\n')
    expect(line.length).toBeLessThan(130)
    expect(line.slice(caret.indexOf('^')).startsWith('Nope() && All()')).toBe(true)
  })

  test('is thrown for rules that are too long or too deep', () => {
    expect(fault(`Type("${'a'.repeat(MAX_RULE_LENGTH)}")`).what).toContain('longer than')
    const nested = (levels: number): string => '('.repeat(levels) + 'All()' + ')'.repeat(levels)
    expect(read(nested(MAX_RULE_NESTING))).toBe('All()')
    expect(fault(nested(MAX_RULE_NESTING + 1)).what).toContain('nested deeper')
    expect(fault('!'.repeat(4000) + 'All()').what).toContain('nested deeper')
  })
})

test('parseRule returns a rule or throws a RuleError for any text', () => {
  const words = [
    'All',
    'Path',
    'Header',
    '(',
    ')',
    ',',
    '&&',
    '||',
    '!',
    '`',
    '"',
    '{',
    '}',
    '{{.Vars.X}}',
    '\\',
    '[',
    ':',
  ]
  const text = fc.oneof(
    fc.array(fc.constantFrom(...words, '/a', ' ', '{x:[a-z]+}', '1')).map(parts => parts.join('')),
    fc.string(),
  )
  fc.assert(
    fc.property(text, rule => {
      try {
        expect(compileRoute(rule, { X: ['a', '{'] }).priority).toBeGreaterThan(0)
      } catch (error) {
        if (!(error instanceof RuleError)) throw error
        expect(error.offset).toBeLessThanOrEqual(rule.length)
      }
    }),
    { numRuns: 2000 },
  )
})
