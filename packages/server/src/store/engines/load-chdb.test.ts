import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { CHDB_VERSION, loadChdb } from './load-chdb.ts'

it('names the missing package and its version', async () => {
  const missing = Object.assign(new Error("Cannot find package 'chdb'"), { code: 'ERR_MODULE_NOT_FOUND' })
  await expect(loadChdb(() => Promise.reject(missing))).rejects.toThrow(
    `the embedded store needs the package chdb, which is not installed; run \`npm install chdb@${CHDB_VERSION}\``,
  )
})

it('passes on the reason if the package cannot be loaded', async () => {
  const broken = new Error('libchdb.so: wrong ELF class')
  await expect(loadChdb(() => Promise.reject(broken))).rejects.toThrow('cannot be loaded: libchdb.so: wrong ELF class')
})

it('advises the version of package.json', () => {
  const path = new URL('../../../package.json', import.meta.url)
  const manifest = JSON.parse(readFileSync(path, 'utf8')) as { optionalDependencies: Record<string, string> }
  expect(manifest.optionalDependencies['chdb']).toBe(CHDB_VERSION)
})
