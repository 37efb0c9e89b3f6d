// Tests the file handling of the worker without a worker. The results equal those of the library.
import { gzipSync } from 'node:zlib'
import { ProfilesBuilder, writeOtlp, writeProfile } from '@hearth/profile'
import { expect, test } from 'vitest'
import { shown } from '../../../profile/src/analyze/testing/tree-of.ts'
import { UNKNOWN_FILE } from './messages.ts'
import { OpenedFiles } from './opened-files.ts'

const BEFORE = 'main;work;parse 30\nmain;work;print 10\nmain;idle 5\n'
const AFTER = 'main;work;parse 10\nmain;work;cache 20\nmain;idle 5\n'

function blob(content: string | Uint8Array): Blob {
  return new Blob([content as string])
}

/** A zstd frame with one stored block, which zstd writes for incompressible data. */
function storedZstd(text: string): Uint8Array {
  const bytes = Buffer.from(text)
  expect(bytes.length).toBeLessThan(256)
  const header = (bytes.length << 3) | 1
  const head = [0x28, 0xb5, 0x2f, 0xfd, 0x20, bytes.length, header & 255, (header >> 8) & 255, header >> 16]
  return Uint8Array.from([...head, ...bytes])
}

async function opened(content: string | Uint8Array, id = 'a'): Promise<OpenedFiles> {
  const files = new OpenedFiles()
  await files.open({ file: id, name: 'a.folded', content: blob(content), symbols: [] })
  return files
}

test.each([
  ['uncompressed', BEFORE, 'none'],
  ['gzip', gzipSync(BEFORE), 'gzip'],
  ['gzip in two members', Buffer.concat([gzipSync(BEFORE.slice(0, 19)), gzipSync(BEFORE.slice(19))]), 'gzip'],
  ['zstd', storedZstd(BEFORE), 'zstd'],
] as const)('opens a file that is %s', async (_, content, compression) => {
  const files = new OpenedFiles()
  const summary = await files.open({ file: 'a', name: 'a.folded', content: blob(content), symbols: [] })
  expect(summary).toMatchObject({ name: 'a.folded', format: 'folded', compression, bytes: blob(content).size })
  expect(summary.measures).toMatchObject([{ profiles: 1, samples: 3, total: 45n, timed: false }])
})

test('returns trees, tables and sandwiches', async () => {
  const files = await opened(BEFORE)
  const part = { file: 'a', type: '' }
  const { tree } = files.tree(part, 'root-first')
  expect(Array.from(tree.frame, i => tree.frames.name[i])).toEqual(['main', 'work', 'parse', 'print', 'idle'])
  expect([...tree.total]).toEqual([45, 40, 30, 10, 5])
  expect(files.tree(part, 'leaf-first').tree.total[0]).toBe(30)
  const top = files.top(part, false)
  expect(top.frames.name[top.frame[0]]).toBe('parse')
  const found = files.sandwich(part, { name: 'work', file: '' })
  expect([found?.callers.sum, found?.callees.length, found?.sum]).toEqual([40n, 3, 45n])
  expect(files.sandwich(part, { name: 'nobody', file: '' })).toBeUndefined()
})

test('compares two files by share and by value', async () => {
  const files = await opened(BEFORE, 'a')
  await files.open({ file: 'b', name: 'b.folded', content: blob(AFTER), symbols: [] })
  const before = { file: 'a', type: '' }
  const after = { file: 'b', type: '' }
  const scaled = files.diff(before, after, 'root-first', false).tree
  expect([scaled.sum, scaled.before?.sum, scaled.before?.total[0]]).toEqual([35n, 35n, 35])
  const plain = files.diff(before, after, 'root-first', true).tree
  expect([plain.sum, plain.before?.sum, plain.before?.total[0]]).toEqual([35n, 45n, 45])
  const { rows, beforeSum, afterSum } = files.diffRows(before, after)
  const parse = rows.find(({ name }) => name === 'parse')!
  expect([Math.round(parse.beforeSelf), parse.afterSelf, beforeSum, afterSum]).toEqual([30, 10, 45, 35])
})

test('writes a file and reports losses', async () => {
  const files = await opened(BEFORE)
  const { bytes } = await files.write({ file: 'a', type: '' }, 'folded')
  expect(Buffer.from(bytes).toString().trim().split('\n').sort()).toEqual(BEFORE.trim().split('\n').sort())
  expect(files.details('a')).toMatchObject({ profiles: [{ samples: 3, total: 45n }], allLinks: 0 })
})

test('throws UnknownFileError for a file that is not open', async () => {
  const files = await opened(BEFORE)
  let name = ''
  try {
    files.tree({ file: 'b', type: '' }, 'root-first')
  } catch (error) {
    name = (error as Error).name
  }
  expect(name).toBe(UNKNOWN_FILE)
})

test('roots trees, sandwiches and HTML files by attributes, but not tables and other files', async () => {
  const builder = new ProfilesBuilder()
  builder.resource({ attributes: [{ key: 'host.name', value: 'h1' }] })
  builder.scope({ name: 'sampler', attributes: [{ key: 'in.scope', value: 1n }] })
  builder.profile({ type: 'cpu', unit: 'ns', attributes: [builder.attribute('of.profile', 'p')] })
  const at = (name: string) => builder.location({ lines: [{ function: builder.function({ name }) }] })
  for (const [thread, value] of [
    ['a', 3n],
    ['b', 1n],
  ] as const) {
    const attributes = [builder.attribute('thread.name', thread)]
    builder.sample({ stack: builder.stack([at('run'), at('main')]), values: [value], attributes })
  }
  const files = await opened(writeProfile(builder.build(), 'otlp').bytes)
  const part = { file: 'a', type: '', roots: ['host.name', 'thread.name'] }
  expect(files.attributes(part)).toEqual(['host.name', 'in.scope', 'of.profile', 'thread.name'])
  const { tree } = files.tree(part, 'root-first')
  expect(shown(tree).slice(0, 3)).toEqual(['h1 4', '  a 3', '    main 3'])
  expect(tree.frames.attribute?.[tree.frame[1]]).toBe('thread.name')
  const found = files.sandwich(part, { name: 'run', file: '' })!
  expect(shown(found.callers)).toEqual([
    'run 4',
    '  main 4',
    '    a 3',
    '      h1 3 self 3',
    '    b 1',
    '      h1 1 self 1',
  ])
  const top = files.top(part, false)
  expect(Array.from(top.frame, i => top.frames.name[i])).toEqual(['run', 'main'])
  const page = new TextDecoder().decode((await files.write(part, 'folded')).bytes)
  expect(page.split('\n')).toContain('h1;a;main;run 3')
})

test('counts only the last of cumulative profiles with one start', async () => {
  const builder = new ProfilesBuilder()
  builder.resource({ attributes: [] })
  builder.scope({ name: 'test' })
  const main = builder.location({ lines: [{ function: builder.function({ name: 'main' }), line: 1 }] })
  const add = (start: bigint, end: bigint, total: bigint): void => {
    const attributes = [builder.attribute('hearth.profile.aggregation_temporality', 'cumulative')]
    builder.profile({ type: 'alloc', unit: 'bytes', timeUnixNano: start, durationNano: end - start, attributes })
    builder.sample({ stack: builder.stack([main]), values: [total] })
  }
  add(100n, 110n, 4n)
  add(100n, 130n, 10n)
  add(100n, 120n, 6n)
  add(200n, 210n, 2n)
  const files = new OpenedFiles()
  const { measures } = await files.open({
    file: 'f',
    name: 'cumulative.otlp',
    content: blob(writeOtlp(builder.build()).bytes),
    symbols: [],
  })
  expect(measures.map(({ type, profiles, total }) => [type, profiles, total])).toEqual([['alloc:By', 4, 12n]])
  const part = { file: 'f', type: 'alloc:By' }
  expect(files.tree(part, 'root-first').tree.sum).toBe(12n)
  expect(files.top(part, false).sum).toBe(12n)
})

test('hides the frames of drop_frames unless all frames are wanted', async () => {
  const builder = new ProfilesBuilder()
  const locations = ['lock', 'malloc', 'main'].map(name =>
    builder.location({ lines: [{ function: builder.function({ name }) }] }),
  )
  const dropped = (expression: string) => [builder.attribute('pprof.profile.drop_frames', expression)]
  builder.profile({ type: 'cpu', unit: 'ns', attributes: dropped('malloc') })
  builder.sample({ stack: builder.stack(locations), values: [7] })
  builder.profile({ type: 'cpu', unit: 'ns', attributes: dropped('malloc(') })
  const files = new OpenedFiles()
  const summary = await files.open({
    file: 'a',
    name: 'a.otlp',
    content: blob(writeOtlp(builder.build()).bytes),
    symbols: [],
  })
  expect(summary).toMatchObject({ prunedSamples: 1, notes: [{ code: 'drop-frames' }] })
  const names = (allFrames: boolean): string[] => {
    const { tree } = files.tree({ file: 'a', type: '', allFrames }, 'root-first')
    return Array.from(tree.frame, frame => tree.frames.name[frame])
  }
  expect(names(false)).toEqual(['main'])
  expect(names(true)).toEqual(['main', 'malloc', 'lock'])
})
