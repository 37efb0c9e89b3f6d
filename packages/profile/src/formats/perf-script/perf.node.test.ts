// Compares recordings with the text that perf prints for them: both readers must return the same samples.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readPerfData } from '../perf-data/read.ts'
import { observationsOf } from '../perf-data/testing/observations.ts'
import { corpus } from '../testing/corpora.node.ts'
import { readPerfScript } from './read.ts'

const FIELDS = 'comm,pid,tid,time,period,event,ip,sym,dso'

// perf 6.1 reads these. Support for newer recordings and for zstd depends on its build.
const NAMES = ['perf.data.armv7-3.4', 'perf.data.branch-4.14', 'perf.data.callgraph-3.8', 'perf.data.piped.target-3.8']
const files = (corpus('perf-data/quipper') ?? []).filter(({ name }) => NAMES.includes(name))

const hasPerf = ((): boolean => {
  try {
    execFileSync('perf', ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    process.stderr.write('SKIPPED: comparison with `perf script`, because perf is not installed\n')
    return false
  }
})()

describe.skipIf(files.length === 0 || !hasPerf)('perf script of the perf.data corpus', () => {
  let folder = ''
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'hearth-perf-'))
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  function perfScriptOf(bytes: Uint8Array): Uint8Array {
    const file = join(folder, 'perf.data')
    writeFileSync(file, bytes)
    return execFileSync('perf', ['script', '--force', '--ns', '-i', file, '-F', FIELDS], {
      stdio: ['ignore', 'pipe', 'ignore'],
      maxBuffer: 1 << 28,
    })
  }

  /** A line for each observation. Addresses are not compared, because those in the text depend on where perf found the file. */
  function lines(profiles: Parameters<typeof observationsOf>[0]): string[] {
    return observationsOf(profiles)
      .map(({ type, time, value, pid, tid, thread, addresses }) =>
        [type, time, value, pid, tid, thread, addresses.length].join(' '),
      )
      .sort()
  }

  test.each(files)('$name reads the same as text and as recording', ({ bytes }) => {
    const fromText = lines(readPerfScript(perfScriptOf(bytes)).profiles)
    expect(fromText.length).toBeGreaterThan(10)
    expect(fromText.join('\n') === lines(readPerfData(bytes).profiles).join('\n')).toBe(true)
  })
})
