import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { LocationIndex, MappingIndex, StackIndex } from '../columns/brand.ts'
import { STRING_STRIDE } from '../columns/dictionary.ts'
import type { Profiles } from '../columns/profiles.ts'
import { SAMPLE_STRIDE } from '../columns/profiles.ts'
import type { Level, Rule, RuleId } from './rules.ts'
import { ALL_RULES, RULES } from './rules.ts'
import { stackOf, withAttribute, withContainers, withProfile } from './testing/case.ts'
import { DICTIONARY_CASES } from './testing/dictionary-cases.ts'
import { PROFILE_CASES } from './testing/profile-cases.ts'
import { START, idBytes, richProfiles } from './testing/rich-profiles.ts'
import { validate } from './validate.ts'

const CASES = [...DICTIONARY_CASES, ...PROFILE_CASES]

function levelOf(id: RuleId): Level | undefined {
  return ALL_RULES.find(rule => rule.id === id)?.level
}

describe('validate: valid profiles', () => {
  test('with all kinds of content break no rule', () => {
    expect(validate(richProfiles(), { strict: true })).toEqual([])
  })

  test('with only zero rows break no rule', () => {
    expect(
      validate(
        withContainers(b => b.resource()),
        { strict: true },
      ),
    ).toEqual([])
  })

  test.each([
    ['by annotation', 'size', 1n, '{requests}'],
    ['by a symbol', 'rate', 1n, '1/s'],
    ['unknown', 'force', 1.5, 'N'],
    ['none', 'text', 'x', ''],
  ])('with a unit %s break no rule', (_, key, value, unit) => {
    expect(validate(withAttribute(key, value, unit), { strict: true })).toEqual([])
  })

  test('may have timestamps up to the end of the 64-bit range', () => {
    const all = richProfiles(b => {
      b.profile({ type: 'cpu', unit: 'ns', timeUnixNano: 2n ** 64n - 2n, durationNano: 5 })
      b.sample({ stack: stackOf(b), timestamps: [2n ** 64n - 2n, 2n ** 64n - 1n] })
    })
    expect(validate(all, { strict: true })).toEqual([])
  })

  test('may have addresses at both ends of their mapping, and in a mapping without a range', () => {
    const all = richProfiles(b => {
      const attributes = [b.attribute('process.executable.build_id.go', 'id')]
      const mapping = b.mapping({ memoryStart: 0x1000, memoryLimit: 0x3000, attributes })
      const unknown = b.mapping({ filename: 'b.so', attributes })
      const at = (inside: MappingIndex, address: bigint): LocationIndex => b.location({ mapping: inside, address })
      b.sample({
        stack: b.stack([at(mapping, 0x1000n), at(mapping, 0x3000n), at(unknown, 2n ** 64n - 1n)]),
        timestamps: [START],
      })
    })
    expect(validate(all, { strict: true })).toEqual([])
  })
})

/** The name of each case, and the case. */
const NAMED = CASES.map(c => [c.name === undefined ? c.rule : `${c.rule}: ${c.name}`, c] as const)

describe('validate: broken rules', () => {
  test.each(NAMED)('reports %s', (_, c) => {
    const problems = validate(c.profiles(), { strict: true })
    const own = problems.filter(problem => problem.rule === c.rule)
    expect(own.map(problem => problem.path)).toEqual(c.paths)
    for (const problem of own) {
      expect(problem.level).toBe(levelOf(c.rule))
      expect(problem.message).not.toBe('')
    }
    const others = new Set(problems.map(problem => problem.rule).filter(rule => rule !== c.rule))
    expect([...others]).toEqual(c.also ?? [])
  })

  test.each(NAMED)('without strict: %s', (_, c) => {
    const rules = new Set(validate(c.profiles()).map(problem => problem.rule))
    expect(rules.has(c.rule)).toBe(levelOf(c.rule) === 'must')
    for (const rule of rules) expect(levelOf(rule)).toBe('must')
  })

  test('reports a string that is not UTF-8', () => {
    const profiles = withProfile({ type: 'caf\u00e9' })
    const type = profiles.profiles.type(1)
    const { ints, base } = profiles.dictionary.strings
    ints[base + type * STRING_STRIDE + 1]--
    expect(validate(profiles)).toEqual([
      {
        path: `dictionary.string_table[${type}]`,
        rule: 'string-utf8',
        level: 'must',
        message: 'invalid UTF-8 at byte 3 of the string',
      },
    ])
  })

  test('never throws, whatever byte is changed', () => {
    const { length } = richProfiles().dictionary.bytes
    fc.assert(
      fc.property(fc.nat(length - 1), fc.nat(255), (at, byte) => {
        const profiles = richProfiles()
        profiles.dictionary.bytes[at] = byte
        for (const { path, rule } of validate(profiles, { strict: true })) {
          expect(path).toMatch(/^(?:dictionary|resource_profiles)\b/)
          expect(levelOf(rule)).toBeDefined()
        }
      }),
    )
  })

  test('explains the problem', () => {
    const message = (profiles: Profiles): string => validate(profiles, { strict: true })[0].message
    expect(message(withAttribute('size', 1n, 'MB'))).toBe('the unit "MB" must be spelled "MiBy" in UCUM')
    expect(message(withAttribute('thread.id', new Uint8Array(2)))).toBe('"thread.id" must be int, but is bytes')
    expect(message(withAttribute('thread.id', undefined))).toBe('"thread.id" must be int, but is empty')
    expect(message(withProfile({ id: idBytes(3) }))).toBe('the id has 3 bytes, but needs 16')
    const long = 'x'.repeat(1000)
    expect(message(withProfile({ originalPayloadFormat: long, originalPayload: idBytes(1) }))).toBe(
      `"${'x'.repeat(80)}"\u2026 is not one of pprof, jfr, linux_perf`,
    )
  })
})

describe('RULES', () => {
  test('has a test case for each rule', () => {
    const broken = new Set(CASES.map(c => c.rule))
    expect(RULES.map(rule => rule.id).filter(id => !broken.has(id))).toEqual([])
  })

  test('has unique ids of lower-case words', () => {
    expect(new Set(RULES.map(rule => rule.id)).size).toBe(RULES.length)
    for (const rule of RULES) expect(rule.id).toMatch(/^[a-z]+[0-9]*(?:-[a-z]+[0-9]*)*$/)
  })

  test('has no MUST of Hearth itself', () => {
    for (const rule of RULES as readonly Rule[]) if (rule.source === 'hearth') expect(rule.level).not.toBe('must')
  })
})

describe('the limit of validate', () => {
  const samples = (count: number): Profiles =>
    richProfiles(b => {
      for (let i = 0; i < count; i++) b.sample({ stack: 0 as StackIndex })
    })
  const path = (i: number): string => `resource_profiles[0].scope_profiles[0].profiles[0].samples[${3 + i}]`

  test('ends the list with the number of further problems', () => {
    const problems = validate(samples(250))
    expect(problems).toHaveLength(101)
    expect(problems[99].path).toBe(path(99))
    const last = {
      path: path(100),
      rule: 'sample-empty',
      level: 'must',
      message: '150 more problems of this kind, starting here',
    }
    expect(problems[100]).toEqual(last)
  })

  test('applies to each rule', () => {
    const problems = validate(samples(4), { strict: true, limit: 2 })
    expect(problems.map(problem => [problem.rule, problem.path, problem.message])).toEqual([
      ['sample-empty', path(0), 'it has neither values nor timestamps'],
      ['sample-empty', path(1), 'it has neither values nor timestamps'],
      ['sample-empty', path(2), '2 more problems of this kind, starting here'],
      ['sample-identity', path(1), 'it has the same stack, attributes and link as samples[3]'],
      ['sample-identity', path(2), 'it has the same stack, attributes and link as samples[3]'],
      ['sample-identity', path(3), 'it has the same stack, attributes and link as samples[3]'],
    ])
  })

  test('may be 0 or Infinity', () => {
    expect(validate(samples(3), { limit: 0 }).map(problem => problem.message)).toEqual([
      '3 more problems of this kind, starting here',
    ])
    expect(validate(samples(250), { limit: Infinity })).toHaveLength(250)
  })

  test('applies to references too', () => {
    const profiles = samples(5)
    for (let s = 3; s < 8; s++) profiles.samples.ints[profiles.samples.base + s * SAMPLE_STRIDE] = -1
    expect(validate(profiles, { limit: 1 })).toEqual([
      {
        path: `${path(0)}.stack_index`,
        rule: 'reference-range',
        level: 'must',
        message: '-1 is out of range: stack_table has 3 rows',
      },
      {
        path: `${path(1)}.stack_index`,
        rule: 'reference-range',
        level: 'must',
        message: '4 more problems of this kind, starting here',
      },
    ])
  })
})
