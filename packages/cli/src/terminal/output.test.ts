import {
  lstatSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import * as path from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { checkOutput, compressedFor, writeOutput } from './output.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'hearth-output-'))
afterAll(() => rmSync(folder, { recursive: true }))
const file = (name: string): string => path.join(folder, name)
const nobody = { write: (): void => expect.unreachable('standard output must not be used') }
const bytes = Buffer.from('main;run 1\n')

test('writeOutput replaces a file as a whole and keeps its mode', async () => {
  writeFileSync(file('a'), 'something that was longer before', { mode: 0o640 })
  await writeOutput(file('a'), bytes, nobody)
  expect(readFileSync(file('a')).equals(bytes)).toBe(true)
  expect(statSync(file('a')).mode & 0o777).toBe(0o640)
  expect(readdirSync(folder)).toEqual(['a'])
})

test('writeOutput keeps a symbolic link', async () => {
  writeFileSync(file('target'), '')
  symlinkSync('target', file('link'))
  await writeOutput(file('link'), bytes, nobody)
  expect(lstatSync(file('link')).isSymbolicLink()).toBe(true)
  expect(readFileSync(file('target')).equals(bytes)).toBe(true)
})

test('writeOutput writes to devices without replacing them', async () => {
  await writeOutput('/dev/null', bytes, nobody)
  expect(statSync('/dev/null').isCharacterDevice()).toBe(true)
  expect(() => checkOutput('/dev/null', ['/dev/null'])).not.toThrow()
})

test('compressedFor does not compress twice', () => {
  const packed = compressedFor('x.folded.gz', bytes)
  expect(compressedFor('x.pb.gz', packed)).toBe(packed)
  expect(compressedFor('x.folded', bytes)).toBe(bytes)
})
