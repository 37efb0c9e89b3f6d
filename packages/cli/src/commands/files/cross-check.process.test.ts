// Compares a server's merge of several recordings with the merge of `hearth merge`, and with `go tool pprof` on the file that
// the server writes.
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { writeProfile } from '@hearth/profile'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { recording } from '../../testing/recordings.ts'
import { runHearth } from '../../testing/run-hearth.ts'
import type { Serving } from '../../testing/serving.ts'
import { startServing } from '../../testing/serving.ts'

const folder = mkdtempSync(join(tmpdir(), 'hearth-cross-'))
const inFolder = (name: string): string => join(folder, name)
const START = 1_700_000_000
const FORMATS = ['otlp', 'pprof', 'otlp'] as const
const SELECTOR = 'cpu {service.name="recorded"}'
const MERGED = inFolder('merged.otlp')
const SERVED = inFolder('served.pb.gz')
let served: Serving

beforeAll(async () => {
  served = await startServing(inFolder('data'))
})
afterAll(async () => {
  await served.stop()
  rmSync(folder, { recursive: true })
})

async function hearth(...argv: readonly string[]): Promise<string> {
  const { status, stdout, stderr } = await runHearth(argv)
  if (status !== 0) throw new Error(stderr)
  return stdout
}

interface Top {
  readonly unit: string
  readonly total: string
  readonly rows: readonly { readonly name: string; readonly self: string; readonly total: string }[]
}

const queryArguments = (): string[] => [
  'query',
  SELECTOR,
  '--server',
  served.main,
  '--from',
  String(START - 1),
  '--to',
  String(START + 3600),
]

// The tests below use the data sent here.
test('recordings of several formats are pushed, merged locally, and exported merged', async () => {
  const files = FORMATS.map((format, i) => {
    const file = inFolder(`${i}.${format}`)
    writeFileSync(file, writeProfile(recording(i + 1, BigInt(START + i * 60)), format).bytes)
    return file
  })
  await hearth('push', ...files, '--service', 'recorded', '--to', served.otlp)
  await expect.poll(() => hearth(...queryArguments())).toContain('in 3 profiles')
  await hearth('merge', ...files, '-o', MERGED)
  await hearth(...queryArguments(), '-o', SERVED)
})

test.each(['function', 'line', 'file', 'mapping'])('the table by %s equals the one of the files', async by => {
  const here = JSON.parse(await hearth('top', MERGED, '--by', by, '--json')) as Top
  expect(here.rows.length).toBeGreaterThan(0)
  const file = JSON.parse(await hearth('top', SERVED, '--by', by, '--json')) as Top
  expect(file).toEqual(here)
  const there = JSON.parse(await hearth(...queryArguments(), '--by', by, '-n', '10000', '--json')) as {
    readonly sum: string
    readonly rows: readonly {
      readonly frame: { readonly name: string }
      readonly self: string
      readonly total: string
    }[]
  }
  expect(there.sum).toBe(here.total)
  const rows = there.rows.map(({ frame: { name }, self, total }) => `${name} ${self} ${total}`)
  expect(rows.sort()).toEqual(here.rows.map(({ name, self, total }) => `${name} ${self} ${total}`).sort())
})

test('the text equals the one of the files, except for the number of profiles', async () => {
  const rows = (text: string): string[] => text.split('\n').slice(1)
  expect(rows(await hearth(...queryArguments(), '-n', '50'))).toEqual(rows(await hearth('top', MERGED, '-n', '50')))
  expect(rows(await hearth(...queryArguments(), '--flame'))).toEqual(rows(await hearth('flame', MERGED)))
})

const hasGo = spawnSync('go', ['version']).status === 0
if (!hasGo) console.log('SKIPPED: the cross-check with `go tool pprof`: go is not installed')

describe.runIf(hasGo)('go tool pprof', () => {
  function pprof(...argv: readonly string[]): string {
    return execFileSync('go', ['tool', 'pprof', '-symbolize=none', ...argv, SERVED], {
      encoding: 'utf8',
      env: { ...process.env, PPROF_TMPDIR: folder },
      stdio: ['ignore', 'pipe', 'ignore'],
    })
  }

  test('-top shows the same rows', async () => {
    const here = JSON.parse(await hearth('top', MERGED, '--json')) as Top
    const text = pprof('-top', '-unit=nanoseconds', '-nodecount=100000', '-nodefraction=0', '-edgefraction=0')
    const rows = [...text.matchAll(/^ *(\d+)(?:ns)? +\S+% +\S+% +(\d+)(?:ns)? +\S+% {2}(\S+)/gm)]
    const theirs = rows.map(([, flat, cum, name]) => `${name} ${flat} ${cum}`)
    expect(theirs.sort()).toEqual(here.rows.map(({ name, self, total }) => `${name} ${self} ${total}`).sort())
    expect(text).toContain(`of ${here.total}ns total`)
  })

  test('-raw shows the same samples', async () => {
    const here = JSON.parse(await hearth('top', MERGED, '--json')) as Top
    const [, samples] = pprof('-raw').split(/^Samples:\n.*\n/m)
    const values = [...samples.split(/^Locations$/m)[0].matchAll(/^ *(\d+): /gm)].map(([, value]) => BigInt(value))
    expect(values.length).toBeGreaterThan(0)
    expect(values.reduce((sum, value) => sum + value, 0n).toString()).toBe(here.total)
  })
})
