// Tests the maps of a real bundler: minifies a small program, profiles it with V8, and maps its frames back.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { readCpuprofile } from '../../formats/cpuprofile/read.ts'
import { applySourceMaps } from './apply-source-maps.ts'
import { SourceMap } from './source-map.ts'

const SOURCE = `
// A comment, so that lines move.
export interface Shape { readonly size: number }

function spinForAWhile(rounds: number): number {
  let total = 0
  for (let i = 0; i < rounds; i++) total += Math.sqrt(i) * Math.sin(i)
  return total
}

const throughAnArrow = (shape: Shape): number => {
  return spinForAWhile(shape.size) + spinForAWhile(shape.size / 2)
}

class Runner {
  sumOfAll(count: number): number {
    let all = 0
    for (let i = 0; i < count; i++) all += throughAnArrow({ size: 100_000 })
    return all
  }
}

console.log(new Runner().sumOfAll(400))
`

const bundler = findBundler()
if (bundler === undefined) process.stderr.write('SKIPPED: maps of a real bundler; esbuild is not installed\n')
const folder = mkdtempSync(join(tmpdir(), 'hearth-source-map-'))
afterAll(() => rmSync(folder, { recursive: true }))

function findBundler(): string | undefined {
  try {
    return createRequire(import.meta.url).resolve('esbuild/bin/esbuild')
  } catch {
    return undefined
  }
}

describe.skipIf(bundler === undefined)('applySourceMaps of a minified program', () => {
  test('restores the original names and lines', () => {
    writeFileSync(join(folder, 'program.ts'), SOURCE)
    const args = ['program.ts', '--minify', '--bundle', '--sourcemap', '--format=esm', '--outfile=out.mjs']
    const made = spawnSync(bundler ?? '', args, { cwd: folder, encoding: 'utf8' })
    expect(made.stderr.includes('error')).toBe(false)
    const map = SourceMap.parse(readFileSync(join(folder, 'out.mjs.map'), 'utf8'))
    expect(map.sources).toEqual(['program.ts'])

    const profiled = ['--cpu-prof', '--cpu-prof-name=out.cpuprofile', 'out.mjs']
    expect(spawnSync(process.execPath, profiled, { cwd: folder, encoding: 'utf8' }).status).toBe(0)
    const { profiles } = readCpuprofile(new Uint8Array(readFileSync(join(folder, 'out.cpuprofile'))))
    const { profiles: mapped, count } = applySourceMaps(profiles, url => (url.endsWith('/out.mjs') ? map : undefined))
    expect(count).toBeGreaterThan(0)
    const { locations, functions, strings } = mapped.dictionary
    const seen = new Set<string>()
    for (let k = 0; k < locations.lines.length; k++) {
      const row = locations.lines.function(k)
      if (strings.text(functions.filename(row)) !== 'program.ts') continue
      seen.add(`${strings.text(functions.name(row))} ${functions.startLine(row)}`)
    }
    const spin = SOURCE.split('\n').findIndex(line => line.includes('function spinForAWhile')) + 1
    expect(seen).toContain(`spinForAWhile ${spin}`)
    // Its caller is nearly always on the stack.
    expect(seen).toContain(`sumOfAll ${spin + 11}`)
  })
})
