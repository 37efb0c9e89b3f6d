// Runs every TypeScript example of the README and of docs/library.md against the sources. A comment behind a
// console.log is the expected output. Also checks what docs/library.md says about bundle contents.
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import * as path from 'node:path'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { afterAll, describe, expect, test } from 'vitest'
import { formatNamed } from './formats/registry.ts'
import type { LocationIndex } from './index.ts'
import { ProfilesBuilder, writeProfile } from './index.ts'

const run = promisify(execFile)
const root = path.join(import.meta.dirname, '../../..')
// Inside the workspace, so that the package resolves by its name.
const folder = mkdtempSync(path.join(root, 'node_modules/.hearth-examples-'))
afterAll(() => rmSync(folder, { recursive: true }))

const SECOND = 1_000_000_000

/** A profile with gc, parse and a third leaf, in seconds, with the sample types of Go's CPU profiler. */
function recording(third: string, seconds: readonly [gc: number, parse: number, third: number]): Uint8Array {
  const b = new ProfilesBuilder()
  const at = (name: string): LocationIndex => b.location({ lines: [{ function: b.function({ name }) }] })
  const stacks = [
    ['gc', 'run', 'main'],
    ['parse', 'run', 'main'],
    [third, 'main'],
  ].map(names => b.stack(names.map(at)))
  for (const [type, unit, scale] of [
    ['cpu', 'nanoseconds', SECOND],
    ['samples', 'count', 100],
  ] as const) {
    b.profile({ type, unit })
    for (const [i, stack] of stacks.entries()) b.sample({ stack, values: [seconds[i] * scale] })
  }
  return gzipSync(writeProfile(b.build(), 'pprof').bytes)
}

writeFileSync(path.join(folder, 'cpu.pb.gz'), recording('idle', [3, 2, 1]))
writeFileSync(path.join(folder, 'later.pb.gz'), recording('log', [1, 4, 2]))

/** The README does not show where its bytes come from. */
const BYTES = "import { readFileSync } from 'node:fs'\nconst bytes = readFileSync('cpu.pb.gz')\n"

/** Runs all examples in one process, because each process compiles the sources again. */
const DRIVER = `
import { format } from 'node:util'
const printed = {}
const log = console.log
for (const file of process.argv.slice(2)) {
  const lines = (printed[file] = [])
  console.log = (...values) => void lines.push(...format(...values).split('\\n'))
  try {
    await import(file)
  } catch (error) {
    lines.push('failed: ' + error)
  }
}
log(JSON.stringify(printed))
`

/** Returns the lines that each example prints. */
async function printed(examples: readonly string[]): Promise<string[][]> {
  const files = examples.map((code, i) => {
    const file = path.join(folder, `example-${i}.ts`)
    writeFileSync(file, /\breadProfile\(bytes\)/.test(code) ? BYTES + code : code)
    return file
  })
  const driver = path.join(folder, 'driver.mjs')
  writeFileSync(driver, DRIVER)
  const node = ['--conditions=hearth-source', '--import', 'tsx', driver, ...files]
  const { stdout } = await run(process.execPath, node, { cwd: folder })
  const byFile = JSON.parse(stdout) as Record<string, string[]>
  return files.map(file => byFile[file])
}

/** Returns the comments behind console.log, in order. */
function expected(code: string): string[] {
  return [...code.matchAll(/console\.log\(.*\) \/\/ (.*)$/gm)].map(match => match[1])
}

test('every example of the documentation runs and prints its comments', async () => {
  const examples = ['README.md', 'docs/library.md'].flatMap(page => {
    const text = readFileSync(path.join(root, page), 'utf8')
    const found = [...text.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(match => match[1])
    expect(found.length).toBeGreaterThan(0)
    return found
  })
  for (const [i, lines] of (await printed(examples)).entries()) {
    const code = examples[i]
    const said = expected(code)
    // Lines without a comment may come in between.
    const known = (line: string): boolean => said.includes(line) || line.startsWith('failed: ')
    const came = said.length === countOf(code) ? lines : lines.filter(known)
    expect({ code, printed: came }).toEqual({ code, printed: said })
  }
})

function countOf(code: string): number {
  return code.split('console.log(').length - 1
}

describe('a bundle', () => {
  test.concurrent.each([
    ['otlp', 'otlp'],
    ['readPprof', 'pprof'],
    ['folded', 'folded'],
  ])('with %s contains no other format and no Node module', async (name, own) => {
    const entry = path.join(folder, `only-${own}.ts`)
    const metafile = path.join(folder, `only-${own}.json`)
    writeFileSync(entry, `import { ${name} } from '@hearth/profile'\nconsole.log(${name})\n`)
    await run(path.join(root, 'node_modules/.bin/esbuild'), [
      entry,
      '--bundle',
      '--format=esm',
      // Makes an import of node:* fail.
      '--platform=browser',
      '--conditions=hearth-source',
      `--metafile=${metafile}`,
      `--outfile=${path.join(folder, `only-${own}.js`)}`,
    ])
    const { outputs } = JSON.parse(readFileSync(metafile, 'utf8')) as Metafile
    const [{ inputs }] = Object.values(outputs)
    const used = Object.keys(inputs).filter(file => inputs[file].bytesInOutput > 0)
    const folders = new Set(used.map(file => /\/formats\/([\w-]+)\//.exec(file)?.[1]))
    expect([...folders].filter(name => name !== undefined && formatNamed(name) !== undefined)).toEqual([own])
    expect(used.filter(file => file.includes('/analyze/'))).toEqual([])
  })
})

interface Metafile {
  readonly outputs: Readonly<
    Record<string, { readonly inputs: Readonly<Record<string, { readonly bytesInOutput: number }>> }>
  >
}
