import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { FrameTable } from '../samples/frame-table.ts'
import { FrameMapper } from './source-maps.ts'

// `export function b(n){…}`: columns 0, 16 (the name) and 17 (the parameters) are line 5, columns 0, 16 and 24 of the source.
const SCRIPT = 'export function b(n){return n}\n'
const MAP = { version: 3, sources: ['../src/work.ts'], names: ['busyWork'], mappings: 'AAIA,gBAAgBA,CAAQ' }

let folder: string
let problems: string[]

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hearth-maps-'))
  problems = []
  mkdirSync(join(folder, 'dist'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

function script(end: string): string {
  const path = join(folder, 'dist/app.js')
  writeFileSync(path, SCRIPT + end)
  return path
}

/** The frame of `b` after maps were applied. */
async function mapped(scriptName: string): Promise<FrameTable['rows'][number]> {
  const frames = new FrameTable()
  frames.rowOf({ name: 'b', scriptName, lineNumber: 1, columnNumber: 18 })
  await new FrameMapper(problem => problems.push(problem)).apply(frames)
  return frames.rows[0]
}

describe('FrameMapper', () => {
  const expected = {
    name: 'busyWork',
    systemName: 'b',
    startLine: 5,
    line: 5,
    column: 25,
    type: 'v8js',
  }

  test('reads a map beside the script', async () => {
    const path = script('//# sourceMappingURL=app.js.map')
    writeFileSync(`${path}.map`, JSON.stringify(MAP))
    expect(await mapped(path)).toEqual({
      ...expected,
      file: join(folder, 'src/work.ts'),
      generatedPosition: `${path}:1:18`,
    })
    expect(await mapped(pathToFileURL(path).href)).toMatchObject({ file: join(folder, 'src/work.ts') })
  })

  test('reads a map in another folder, with escaped characters in its URL', async () => {
    mkdirSync(join(folder, 'maps of it'))
    writeFileSync(join(folder, 'maps of it/app.map'), JSON.stringify(MAP))
    const path = script('//# sourceMappingURL=../maps%20of%20it/app.map\n\n')
    expect(await mapped(path)).toMatchObject({ ...expected, file: join(folder, 'src/work.ts') })
  })

  test('reads a map inside the script', async () => {
    const data = Buffer.from(JSON.stringify(MAP)).toString('base64')
    const path = script(`//# sourceMappingURL=data:application/json;charset=utf-8;base64,${data}\n`)
    expect(await mapped(path)).toMatchObject({ ...expected, file: join(folder, 'src/work.ts') })
  })

  test('reads a large map inside the script', async () => {
    const text = JSON.stringify({ ...MAP, sourcesContent: ['x'.repeat(100_000)] })
    const data = Buffer.from(text).toString('base64')
    const path = script(`//# sourceMappingURL=data:application/json;base64,${data}\n`)
    expect(await mapped(path)).toMatchObject(expected)
  })

  test('keeps the source names of bundlers', async () => {
    const path = script('//# sourceMappingURL=app.js.map')
    writeFileSync(`${path}.map`, JSON.stringify({ ...MAP, sources: ['webpack://app/./src/work.ts'] }))
    expect(await mapped(path)).toMatchObject({ ...expected, file: 'webpack://app/./src/work.ts' })
  })

  test('ignores a map that is missing or remote', async () => {
    for (const end of ['', '//# sourceMappingURL=gone.map', '//# sourceMappingURL=https://host.test/app.js.map']) {
      const path = script(end)
      expect(await mapped(path)).toMatchObject({ name: 'b', file: path, line: 1, column: 18 })
    }
    expect(await mapped(join(folder, 'gone.js'))).toMatchObject({ name: 'b', line: 1 })
    expect(await mapped('node:internal/timers')).toMatchObject({ name: 'b', file: 'node:internal/timers' })
    expect(problems).toEqual([])
  })

  test('ignores a broken map and reports it once', async () => {
    const path = script('//# sourceMappingURL=app.js.map')
    writeFileSync(`${path}.map`, '{')
    const frames = new FrameTable()
    const mapper = new FrameMapper(problem => problems.push(problem))
    for (const name of ['b', 'c']) {
      frames.rowOf({ name, scriptName: path, lineNumber: 1, columnNumber: 18 })
      await mapper.apply(frames)
    }
    expect(frames.rows.map(({ name }) => name)).toEqual(['b', 'c'])
    expect(problems).toEqual([expect.stringContaining('app.js: source map: is not JSON')])
  })
})

test('maps frames that come later, also synchronously', async () => {
  const path = script('//# sourceMappingURL=app.js.map')
  writeFileSync(`${path}.map`, JSON.stringify(MAP))
  const frames = new FrameTable()
  const mapper = new FrameMapper(problem => problems.push(problem))
  const first = frames.rowOf({ name: '', scriptName: path, lineNumber: 1, columnNumber: 1 })
  await mapper.apply(frames)
  const node = { name: 'b', scriptName: path, lineNumber: 1, columnNumber: 18 }
  const second = frames.rowOf(node)
  mapper.applyNow(frames)
  expect(frames.rows[first]).toMatchObject({ name: '(anonymous)', line: 5, column: 1 })
  expect(frames.rows[second]).toMatchObject({ name: 'busyWork', line: 5 })
  // The same code maps to the same row afterwards.
  expect(frames.rowOf(node)).toBe(second)
})
