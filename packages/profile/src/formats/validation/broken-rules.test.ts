// Breaks each rule in each generation to which it applies, in a file that is otherwise clean.
import { describe, expect, it } from 'vitest'
import type { Generation } from '../otlp/generations/schema.ts'
import { GENERATIONS, jsonName } from '../otlp/generations/schema.ts'
import type { PlainMessage } from '../otlp/testing/encode-message.ts'
import { encodeMessage } from '../otlp/testing/encode-message.ts'
import { generationJson } from '../otlp-json/testing/generation-json.ts'
import { ALL, BREAKS, KEY, SCOPE, broken } from './testing/breaks.ts'
import { cleanContent, placesOf, withValue } from './testing/clean-content.ts'
import { MODEL_BREAKS } from './testing/model-breaks.ts'
import { strictProblems } from './testing/strict-problems.ts'

const EVERY = [...BREAKS, ...MODEL_BREAKS]

function problemsOf(content: PlainMessage, generation: Generation, format = 'otlp'): string[] {
  return strictProblems(encodeMessage(generation, content), format === 'otlp' ? { format, generation } : { format })
}

const jsonProblemsOf = (content: PlainMessage, generation: Generation): string[] =>
  strictProblems(generationJson(encodeMessage(generation, content), generation), { format: 'otlp-json', generation })

/** v1.3 is OTEP 0239 as released. */
const formatsOf = (generation: Generation): string[] => (generation === 'v1.3' ? ['otlp', 'otep239'] : ['otlp'])

describe.each(ALL)('validateFile of OTLP %s', generation => {
  const places = placesOf(generation)
  const applying = EVERY.filter(({ generations }) => generations.includes(generation))

  it('finds nothing in a clean file', () => {
    for (const format of formatsOf(generation))
      expect(problemsOf(cleanContent(generation), generation, format)).toEqual([])
  })

  it.each(applying.map(each => [each.rule, each.changes(places, cleanContent(generation))[0][0], each] as const))(
    'reports only %s if %s breaks it',
    (rule, changed, each) => {
      const expected = `${rule} ${each.path?.(places) ?? changed}`
      for (const format of formatsOf(generation))
        expect(problemsOf(broken(each, generation), generation, format)).toEqual([expected])
    },
  )

  it('reports a broken rule next to a broken reference', () => {
    const reference = applying.find(({ rule }) => rule === 'reference-range')!
    const [[path]] = reference.changes(places, cleanContent(generation))
    const both = withValue(broken(reference, generation), `${SCOPE}.attributes[1]`, KEY)
    expect(problemsOf(both, generation).sort()).toEqual([
      `attribute-keys-unique ${SCOPE}.attributes[1]`,
      `reference-range ${path}`,
    ])
  })
})

/** The next generation exists as protobuf only. */
describe.each(GENERATIONS)('validateFile of OTLP/JSON %s', generation => {
  const places = placesOf(generation)
  const applying = EVERY.filter(({ generations, isText }) => generations.includes(generation) && isText !== false)

  it('finds nothing in a clean file', () => {
    expect(jsonProblemsOf(cleanContent(generation), generation)).toEqual([])
  })

  it.each(applying.map(each => [each.rule, each.changes(places, cleanContent(generation))[0][0], each] as const))(
    'reports only %s if %s breaks it',
    (rule, changed, each) => {
      const path = jsonName(each.path?.(places) ?? changed)
      expect(jsonProblemsOf(broken(each, generation), generation)).toEqual([`${rule} ${path}`])
    },
  )
})
