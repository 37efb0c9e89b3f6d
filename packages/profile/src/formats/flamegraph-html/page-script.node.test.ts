// The page's script is a string for this package's build. These tests compile it with the DOM's types.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { pageScript } from './page.ts'

const tsc = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin', 'tsc')

/** The compiler's errors for a script. */
function complaints(script: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'hearth-page-'))
  try {
    writeFileSync(join(folder, 'page.js'), script)
    const checks = ['--noEmit', '--ignoreConfig', '--allowJs', '--checkJs', '--strict', '--noUnusedLocals']
    const library = ['--target', 'es2022', '--lib', 'es2022,dom,dom.iterable', '--types', '']
    const run = spawnSync(process.execPath, [tsc, ...checks, ...library, 'page.js'], { cwd: folder, encoding: 'utf8' })
    return run.stdout + run.stderr
  } finally {
    rmSync(folder, { recursive: true })
  }
}

test('the script has no type errors', () => {
  expect(complaints(pageScript)).toBe('')
})

test('a mistake in the script is found', () => {
  expect(complaints(pageScript.replace('tree.depth[node]', 'tree.height[node]'))).toContain("'height' does not exist")
})
