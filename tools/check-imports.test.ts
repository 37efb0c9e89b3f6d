// The import checks on sources in memory.
import { describe, expect, test } from 'vitest'
import { allowedImports, subfoldersApart } from './allowed-imports.ts'
import { checkCycles, checkFolders, checkImports, checkReadmes } from './check-imports.ts'
import { importsOf } from './imports-of.ts'

function messagesFor(path: string, ...lines: readonly string[]): readonly string[] {
  return checkImports([{ path, text: lines.join('\n') }]).map(v => `${v.line}: ${v.message}`)
}

describe('allowedImports', () => {
  test('names only folders that have a key', () => {
    for (const list of Object.values(allowedImports)) {
      for (const entry of list) if (/^(profile|cli)\b/.test(entry)) expect(Object.keys(allowedImports)).toContain(entry)
    }
    expect(Object.keys(allowedImports)).toEqual(expect.arrayContaining(Object.keys(subfoldersApart)))
  })

  test('allows no packages in the library', () => {
    for (const [folder, list] of Object.entries(allowedImports)) {
      if (folder.startsWith('profile')) for (const entry of list) expect(entry).toMatch(/^profile\//)
    }
  })
})

describe('checkImports accepts', () => {
  test.each([
    ['packages/profile/src/wire/a.ts', "import { b } from './b.ts'"],
    ['packages/profile/src/model/a.ts', "import type { b } from '../wire/b.ts'"],
    ['packages/profile/src/formats/pprof/a.ts', "import { b } from '../../model/b.ts'"],
    ['packages/profile/src/formats/pprof/a.ts', "import type { b } from '../format.ts'"],
    ['packages/profile/src/formats/registry.ts', "import { pprof } from './pprof/index.ts'"],
    ['packages/profile/src/formats/otlp-json/a.ts', "import { b } from '../otlp/b.ts'"],
    ['packages/profile/src/formats/pprof/a.ts', "import { b } from '../former-drafts/b.ts'"],
    ['packages/profile/src/formats/flamegraph-html/a.ts', "import { b } from '../../analyze/b.ts'"],
    ['packages/profile/src/index.ts', "export * from './analyze/top.ts'"],
    ['packages/profile/src/wire/a.test.ts', "import fc from 'fast-check'"],
    ['packages/profile/src/wire/a.test.ts', "import { top } from '../analyze/testing/top.ts'"],
    ['packages/profile/src/wire/a.node.test.ts', "import { readFileSync } from 'node:fs'"],
    ['packages/cli/src/commands/a.ts', "import { red } from 'picocolors'"],
    ['packages/cli/src/commands/a.ts', "import { open } from 'node:fs/promises'"],
    ['packages/cli/src/a.ts', "const { b } = await import('./commands/b.ts')"],
    ['bench/a.ts', "import pb from 'protobufjs/minimal.js'"],
    ['bench/a.ts', 'const made = await import(path)'],
    ['tools/a.test.ts', "import { b } from './b.ts'"],
  ])('%s: %s', (path, text) => {
    expect(messagesFor(path, text)).toEqual([])
  })
})

describe('checkImports rejects', () => {
  test.each([
    [
      'packages/profile/src/formats/pprof/a.ts',
      "import { b } from '../../analyze/b.ts'",
      'profile/formats may not import profile/analyze',
    ],
    [
      'packages/profile/src/wire/a.ts',
      "import { b } from '../model/b.ts'",
      'profile/wire may not import profile/model',
    ],
    [
      'packages/profile/src/model/a.ts',
      "export * from '../analyze/b.ts'",
      'profile/model may not import profile/analyze',
    ],
    ['packages/profile/src/wire/a.ts', "import { b } from '../index.ts'", 'profile/wire may not import profile (door)'],
    ['packages/profile/src/wire/a.ts', "import { b } from 'node:zlib'", 'profile/wire may not import node:zlib'],
    ['packages/profile/src/wire/a.test.ts', "import { b } from 'node:fs'", 'profile/wire may not import node:fs'],
    ['packages/profile/src/wire/a.ts', "import fc from 'fast-check'", 'profile/wire may not import fast-check'],
    ['packages/profile/src/wire/a.ts', "import { b } from './testing/b.ts'", './testing/b.ts is for tests only'],
    [
      'packages/profile/src/formats/pprof/a.ts',
      "import { b } from '../otlp/b.ts'",
      'profile/formats/pprof may not import profile/formats/otlp',
    ],
    [
      'packages/profile/src/formats/otlp/a.ts',
      "import { b } from '../otlp-json/b.ts'",
      'profile/formats/otlp may not import profile/formats/otlp-json',
    ],
    [
      'packages/profile/src/formats/recordings/a.ts',
      "import { b } from '../otlp/b.ts'",
      'profile/formats/recordings may not import profile/formats/otlp',
    ],
    ['packages/cli/src/a.ts', "import { b } from '../../profile/src/wire/b.ts'", 'cli may not import profile/wire'],
    ['packages/cli/src/a.test.ts', "import '../../profile/src/index.ts'", 'cli may not import profile (door)'],
    [
      'packages/cli/src/a.ts',
      "import { b } from '@hearth/profile/src/b.ts'",
      'cli may not import @hearth/profile/src/b.ts',
    ],
    ['packages/cli/src/a.ts', "import 'commander-extra'", 'cli may not import commander-extra'],
    ['packages/cli/src/a.ts', 'await import(path)', 'an import computed at run time cannot be checked'],
    ['tools/a.test.ts', "import { b } from '../bench/b.ts'", 'tools may not import bench'],
  ])('%s: %s', (path, text, message) => {
    expect(messagesFor(path, text)).toEqual([`1: ${message}`])
  })
})

describe('checkImports with an unknown folder', () => {
  test('reports a file in it', () => {
    expect(messagesFor('packages/profile/src/misc/a.ts', '')).toEqual([
      '1: packages/profile/src/misc is not in the table',
    ])
  })

  test('reports an import of it', () => {
    expect(messagesFor('tools/a.ts', '', "import { b } from '../scripts/b.ts'")).toEqual([
      '2: ../scripts/b.ts leads to scripts, which is not in the table',
    ])
  })
})

describe('checkCycles', () => {
  test('reports files that import each other', () => {
    const one = { path: 'tools/one.ts', text: "import type { Two } from './two.ts'" }
    const two = { path: 'tools/two.ts', text: "import { one } from './one.ts'" }
    expect(checkCycles([one, two])).toEqual([
      { file: 'tools/one.ts', line: 1, message: 'imports form a cycle: tools/one.ts, tools/two.ts' },
    ])
  })
})

describe('checkFolders', () => {
  test('reports a folder with more than 28 source files', () => {
    const files = Array.from({ length: 28 }, (_, i) => ({ path: `tools/${i}.ts`, text: '' }))
    expect(checkFolders(files)).toEqual([])
    expect(checkFolders([...files, { path: 'tools/last.ts', text: '' }])).toMatchObject([{ file: 'tools' }])
  })
})

describe('checkReadmes', () => {
  const files = (folder: string, length: number) =>
    Array.from({ length }, (_, i) => ({ path: `packages/profile/src/${folder}${i}.ts`, text: '' }))
  const missing = (...sources: ReturnType<typeof files>[]) =>
    checkReadmes(sources.flat(), folder => folder === 'packages/profile').map(({ file }) => file)

  test('reports folders directly below src, and folders with more than seven files', () => {
    expect(missing(files('', 9), files('wire/', 1), files('wire/json/', 7))).toEqual(['packages/profile/src/wire'])
    expect(missing(files('wire/json/', 8))).toContain('packages/profile/src/wire/json')
    expect(missing(files('wire/json/testing/', 20))).toEqual([])
    expect(checkReadmes(files('', 1), () => false)).toMatchObject([{ file: 'packages/profile' }])
  })
})

describe('importsOf', () => {
  test('finds every form of import, with its line', () => {
    const source = [
      "import a from 'a'", // 1
      "import { b, type B } from 'b'", // 2
      'import {', // 3
      '  c,', // 4
      "} from 'c'", // 5
      "import * as d from 'd'", // 6
      "import 'e'", // 7
      "export { f } from 'f'", // 8
      "export * from 'g'; export * as h from 'h'", // 9
      "import type { I } from 'i'; type J = import('j').J", // 10
      "const k = await import( 'k' )", // 11
      'await import(name)', // 12
    ].join('\n')
    expect(importsOf(source).map(i => `${i.line} ${i.name}`)).toEqual([
      '1 a',
      '2 b',
      '5 c',
      '6 d',
      '7 e',
      '8 f',
      '9 g',
      '9 h',
      '10 i',
      '10 j',
      '11 k',
      '12 undefined',
    ])
  })

  test('ignores comments, strings, templates and regular expressions', () => {
    const source = [
      "// import a from 'a'",
      "/* import b from 'b'",
      "import c from 'c' */",
      `const d = "import d from 'd'"`,
      "const e = `import e from 'e' ${f(`import g from 'g'`, { h: 1 })} import i from 'i'`",
      'const j = /[/\'"`]/.test(k) ? 4 / 2 : "/*"',
      "const l = meta.import('l')",
      "import m from 'm' // the only one",
    ].join('\n')
    expect(importsOf(source)).toEqual([{ line: 8, name: 'm' }])
  })

  test('finds imports inside a template substitution', () => {
    expect(importsOf("const a = `\n${await import('b')}`")).toEqual([{ line: 2, name: 'b' }])
  })

  test('handles broken source', () => {
    for (const source of ["'", '`', '`${', '/*', '/', "import a from 'b", '}', '\\'])
      expect(() => importsOf(source)).not.toThrow()
  })
})
