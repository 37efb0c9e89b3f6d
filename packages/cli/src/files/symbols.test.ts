// Readable names, as the commands show them.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ProfilesBuilder } from '@hearth/profile'
import type { FunctionIndex, Profiles } from '@hearth/profile'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { withSymbols } from './symbols.ts'

let folder = ''
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'hearth-symbols-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

function profileOf(name: string, filename: string): Profiles {
  const b = new ProfilesBuilder()
  b.profile({ type: 'cpu', unit: 'ns' })
  const frame = { function: b.function({ name, filename, startLine: 1 }), line: 1, column: 1 }
  b.sample({ stack: b.stack([b.location({ lines: [frame] })]), values: [1n] })
  return b.build()
}

function functionOf({ dictionary: { functions, strings } }: Profiles): Record<string, string> {
  const i = (functions.length - 1) as FunctionIndex
  const text = (row: ReturnType<typeof functions.name>): string => strings.text(row)
  return { name: text(functions.name(i)), raw: text(functions.systemName(i)), file: text(functions.filename(i)) }
}

test('withSymbols demangles C++ names and keeps the mangled ones', () => {
  const profiles = profileOf('_ZN4shop8checkoutEi', 'shop.cc')
  expect(functionOf(withSymbols(profiles, {}))).toMatchObject({ name: '_ZN4shop8checkoutEi' })
  const shown = functionOf(withSymbols(profiles, { demangle: true }))
  expect(shown).toMatchObject({ name: 'shop::checkout(int)', raw: '_ZN4shop8checkoutEi' })
})

test('withSymbols applies a source map named after the script', () => {
  const map = { version: 3, sources: ['src/shop.ts'], names: [], mappings: 'AAAA' }
  writeFileSync(join(folder, 'bundle.js.map'), JSON.stringify(map))
  const mapped = withSymbols(profileOf('f', 'file:///app/bundle.js?v=2'), { sourceMaps: folder })
  expect(functionOf(mapped)).toMatchObject({ file: 'src/shop.ts' })
  const other = profileOf('f', 'file:///app/other.js')
  expect(withSymbols(other, { sourceMaps: folder })).toBe(other)
})

test('withSymbols reports a broken map and a missing folder', () => {
  writeFileSync(join(folder, 'broken.js.map'), '{')
  expect(() => withSymbols(profileOf('f', 'broken.js'), { sourceMaps: folder })).toThrow(/broken\.js\.map: /)
  expect(() => withSymbols(profileOf('f', 'x.js'), { sourceMaps: join(folder, 'none') })).toThrow('is not a directory')
})
