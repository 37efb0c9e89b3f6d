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
import { opened } from '@hearth/codecs'
import { checkOutput, compressedFor, outputPieces, writeOutput, writePieces } from './output.ts'

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

/** More than one part, and the rest. */
async function* largePieces(): AsyncGenerator<Uint8Array, void> {
  for (let i = 0; i < 20; i++) yield new Uint8Array(1 << 20).fill(i)
}

test.each(['large.gz', 'large.zst', 'large'])('writePieces writes a large file in parts: %s', async name => {
  await writePieces(file(name), outputPieces(file(name), largePieces(), nobody), nobody)
  const stored = readFileSync(file(name))
  expect(stored.length === 20 << 20).toBe(name === 'large')
  const content = (await opened(stored)).bytes
  expect(content.length).toBe(20 << 20)
  expect([content[0], content.at(-1)]).toEqual([0, 19])
})

test('writePieces leaves the file as it was if the pieces end with an error', async () => {
  writeFileSync(file('kept'), 'before')
  const before = readdirSync(folder)
  async function* broken(): AsyncGenerator<Uint8Array, void> {
    yield* largePieces()
    throw new Error('interrupted')
  }
  await expect(writePieces(file('kept'), broken(), nobody)).rejects.toThrow('interrupted')
  expect(readFileSync(file('kept'), 'utf8')).toBe('before')
  expect(readdirSync(folder)).toEqual(before)
})

test('outputPieces does not write binary data to a terminal or compress twice', async () => {
  const packed = [...Buffer.from(compressedFor('a.gz', bytes))]
  const collect = async (output: string, isTTY: boolean): Promise<number[]> => {
    const found: number[] = []
    const source = (async function* () {
      yield Uint8Array.from(packed)
    })()
    for await (const piece of outputPieces(output, source, { ...nobody, isTTY })) found.push(...piece)
    return found
  }
  expect(await collect('b.gz', true)).toEqual(packed)
  await expect(collect('-', true)).rejects.toThrow('standard output is a terminal')
  expect(await collect('-', false)).toEqual(packed)
})

test('compressedFor does not compress twice', () => {
  const packed = compressedFor('x.folded.gz', bytes)
  expect(compressedFor('x.pb.gz', packed)).toBe(packed)
  expect(compressedFor('x.folded', bytes)).toBe(bytes)
})
