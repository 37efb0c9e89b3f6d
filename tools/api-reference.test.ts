import { apiDocument } from '@hearth/server/administration'
import { expect, test } from 'vitest'
import { clientTypes, endpointsText, wantedFiles, withEndpoints } from './api-reference.ts'

test('docs/api.md and the types of the client are up to date', () => {
  for (const { file, current, wanted } of wantedFiles()) {
    expect(current, `${file} is out of date; run \`npm run api-reference\``).toBe(wanted)
  }
})

test('every path has a section of docs/api.md and an operation of the client', () => {
  const document = apiDocument()
  const [text, types] = [endpointsText(document), clientTypes(document)]
  for (const path of Object.keys(document.paths)) {
    expect(text).toContain(`### ${path}\n`)
    expect(types).toContain(`: '${path}',`)
  }
  expect(text).toContain('| `inlined` | boolean | Whether inlined calls are frames of their own; default: true |')
  expect(text).toContain('| `sum` | decimal string | The sum of all samples |')
  expect(types).toContain("  readonly order?: 'root-first' | 'leaf-first'\n")
  expect(types).toContain('  readonly frames: readonly Frame[]\n')
})

test('withEndpoints rejects a page without the markers', () => {
  expect(() => withEndpoints('# The API\n')).toThrow(/has no <!-- endpoints -->/)
})
