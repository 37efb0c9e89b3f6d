// Tests for source files of checkouts, with hostile paths, and for links to code hosts.
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { SourceFolders } from './source-folders.ts'
import { linkTemplate } from '../config/setting-values.ts'
import { sourceLink } from './source-link.ts'

const outside = mkdtempSync(join(tmpdir(), 'hearth-source-'))
const checkout = join(outside, 'checkout')

beforeAll(() => {
  mkdirSync(join(checkout, 'src/cart'), { recursive: true })
  mkdirSync(join(checkout, '.git'))
  mkdirSync(join(checkout, 'cart'))
  writeFileSync(join(checkout, 'src/cart/price.cc'), 'int price() {\n  return 7;\n}\n')
  writeFileSync(join(checkout, 'cart/price.cc'), 'other\n')
  writeFileSync(join(checkout, '.git/config'), 'secret')
  writeFileSync(join(checkout, 'binary.cc'), 'a\0b')
  writeFileSync(join(outside, 'secret.cc'), 'secret')
  symlinkSync(join(outside, 'secret.cc'), join(checkout, 'link.cc'))
  symlinkSync(outside, join(checkout, 'up'))
})
afterAll(() => rmSync(outside, { recursive: true }))

describe('SourceFolders', () => {
  const folders = new SourceFolders([join(outside, 'missing'), checkout])

  test.each([
    ['/build/shop/src/cart/price.cc', 'src/cart/price.cc'],
    ['src/cart/price.cc', 'src/cart/price.cc'],
    [String.raw`C:\build\src\cart\price.cc`, 'src/cart/price.cc'],
    ['github.com/shop/api@v1.2.3/cart/price.cc', 'cart/price.cc'],
  ])('finds %s by the longest end of the path', async (path, below) => {
    expect((await folders.find(path))?.path).toBe(below)
  })

  test.each([
    ['a parent directory', '../secret.cc'],
    ['a parent directory in the middle', 'src/../../secret.cc'],
    ['an absolute path', '/etc/passwd'],
    ['a hidden folder', '.git/config'],
    ['a link to a file outside', 'link.cc'],
    ['a link to a folder outside', 'up/secret.cc'],
    ['binary content', 'binary.cc'],
    ['a folder', 'src'],
    ['a NUL', 'src/cart/price.cc\0'],
    ['a path that is too long', `${'a/'.repeat(5000)}price.c`],
    ['nothing', ''],
  ])('does not read %s', async (_, path) => {
    expect(await folders.find(path)).toBeUndefined()
  })
})

describe('sourceLink', () => {
  const template = linkTemplate('https://git.example/{repo}/blob/{revision}/{path}#L{line}')

  test('fills the template and escapes the values', () => {
    expect(
      sourceLink(template, { repo: 'https://git.example/shop/api.git', revision: 'v1 2', path: '/src/a b#.cc' }),
    ).toBe('https://git.example/shop/api/blob/v1%202/src/a%20b%23.cc#L{line}')
  })

  test('has no link without a value that the template needs', () => {
    expect(sourceLink(template, { repo: 'shop', path: 'a.cc' })).toBeUndefined()
    expect(sourceLink('https://git.example/{path}', { path: 'a.cc' })).toBe('https://git.example/a.cc')
  })

  test.each(['javascript:alert(1)', 'https://{path}', 'https://git.example/{file}', ''])('rejects %j', text => {
    expect(() => linkTemplate(text)).toThrow(/place|start with/)
  })
})
