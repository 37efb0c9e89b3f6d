import { apiDocument } from '@hearth/server/administration'
import { expect, test } from 'vitest'
import { clientTypes, endpointsText, wantedFiles, withEndpoints } from './api-reference.ts'

test('docs/api.md and the types of the client are of the API in force', () => {
  for (const { file, is, wanted } of wantedFiles()) {
    expect(is, `${file}: \`npm run api-reference\` writes it anew`).toBe(wanted)
  }
})

test('every path has a part of the page and an operation of the client', () => {
  const document = apiDocument()
  const [text, types] = [endpointsText(document), clientTypes(document)]
  for (const path of Object.keys(document.paths)) {
    expect(text).toContain(`### ${path}\n`)
    expect(types).toContain(`: '${path}',`)
  }
  expect(text).toContain('| `inlined` | boolean | Whether inlined calls are frames of their own; true unless given |')
  expect(text).toContain('| `sum` | decimal string | Of all samples |')
  expect(types).toContain("  readonly order?: 'root-first' | 'leaf-first'\n")
  expect(types).toContain('  readonly frames: readonly Frame[]\n')
})

test('a page without the marks is told', () => {
  expect(() => withEndpoints('# The API\n')).toThrow(/has no <!-- endpoints -->/)
})
