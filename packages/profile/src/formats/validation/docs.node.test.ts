import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { ALL_RULES } from '../../model/validate/rules.ts'

it('docs/validation.md lists every rule with its level, statement and source', () => {
  const text = readFileSync(join(import.meta.dirname, '../../../../../docs/validation.md'), 'utf8')
  const listed = text
    .split('\n')
    .flatMap(line => (line.startsWith('| `') ? [line.split(' | ').slice(0, 4).join(' | ')] : []))
  expect(listed).toEqual(
    ALL_RULES.map(({ id, level, title, source }) => `| \`${id}\` | ${level} | ${title} | ${source}`),
  )
})
