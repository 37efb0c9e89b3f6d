// docs/cli.md must match the help of the commands.
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { referencePage } from './testing/reference-page.ts'

test('docs/cli.md matches the help of the commands', async () => {
  const page = await referencePage()
  const written = readFileSync(new URL('../../../docs/cli.md', import.meta.url), 'utf8')
  expect(written, 'docs/cli.md differs from the help of the commands; `npm run cli-reference` writes it again').toBe(
    page,
  )
  // Not empty: each command is there with its options.
  for (const word of [
    '## hearth convert',
    '--keep-original',
    '## hearth validate',
    '--lenient',
    '| 2 |',
    'such as http://pyroscope:4040 (required)',
    '#### hearth admin token create',
  ]) {
    expect(page).toContain(word)
  }
})
