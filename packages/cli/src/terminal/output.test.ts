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
const nobody = { write: (): void => expect.unreachable('standard output is not asked for') }
const bytes = Buffer.from('main;run 1\n')

test('a file is replaced as a whole and keeps its mode', async () => {
  writeFileSync(file('a'), 'something that was longer before', { mode: 0o640 })
  await writeOutput(file('a'), bytes, nobody)
  expect(readFileSync(file('a')).equals(bytes)).toBe(true)
  expect(statSync(file('a')).mode & 0o777).toBe(0o640)
  expect(readdirSync(folder)).toEqual(['a'])
})

test('a symbolic link stays one', async () => {
  writeFileSync(file('target'), '')
  symlinkSync('target', file('link'))
  await writeOutput(file('link'), bytes, nobody)
  expect(lstatSync(file('link')).isSymbolicLink()).toBe(true)
  expect(readFileSync(file('target')).equals(bytes)).toBe(true)
})

test('devices are written to, not replaced', async () => {
  await writeOutput('/dev/null', bytes, nobody)
  expect(statSync('/dev/null').isCharacterDevice()).toBe(true)
  expect(() => checkOutput('/dev/null', ['/dev/null'])).not.toThrow()
})

test('what is compressed already is not compressed again', () => {
  const packed = compressedFor('x.folded.gz', bytes)
  expect(compressedFor('x.pb.gz', packed)).toBe(packed)
  expect(compressedFor('x.folded', bytes)).toBe(bytes)
})
