// Converts real files to OTLP and back. Go's own tool must print the same for both.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { difference } from '../../model/compare/content-equal.ts'
import { FormatError } from '../format.ts'
import { readOtlp } from '../otlp/read.ts'
import { writeOtlp } from '../otlp/write.ts'
import { corpus } from '../testing/corpora.node.ts'
import { readPprof } from './read.ts'
import { writePprof } from './write.ts'

const files = [...(corpus('pprof') ?? []), ...(corpus('pprof/heap-series') ?? [])].map(({ name, bytes }) => ({
  name,
  bytes: bytes[0] === 0x1f ? gunzipSync(bytes) : bytes,
}))

const hasGo = ((): boolean => {
  try {
    execFileSync('go', ['version'], { stdio: 'ignore' })
    return true
  } catch {
    console.log('SKIPPED: comparison with `go tool pprof`, because go is not installed')
    return false
  }
})()

describe.skipIf(files.length === 0)('real pprof files', () => {
  let folder = ''
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'hearth-pprof-'))
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  function printed(bytes: Uint8Array): string {
    const file = join(folder, 'profile')
    writeFileSync(file, bytes)
    return execFileSync('go', ['tool', 'pprof', '-symbolize=none', '-raw', file], {
      stdio: ['ignore', 'pipe', 'ignore'],
      maxBuffer: 1 << 28,
    }).toString()
  }

  test.each(files)('$name: survives the round trip through OTLP', ({ bytes }) => {
    const first = readPprof(bytes).profiles
    const throughOtlp = readOtlp(writeOtlp(first).bytes).profiles
    const { bytes: written, notes } = writePprof(throughOtlp)
    expect(notes).toEqual([])
    expect(difference(readPprof(written).profiles, first)).toBeUndefined()
    if (hasGo) expect(printed(written) === printed(bytes)).toBe(true)
  })

  test.each(corpus('pprof-malformed') ?? [])('$name is rejected', ({ bytes }) => {
    expect(() => readPprof(bytes)).toThrow(FormatError)
  })
})
