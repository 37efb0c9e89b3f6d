// Tests for debug files beside a profile, with captures of the eBPF profiler.
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { OpenedFiles } from './opened-files.ts'

const FOLDER = fileURLToPath(new URL('../../../../../shared/corpora/ebpf/c-stripped/', import.meta.url))
const isThere = existsSync(FOLDER)
if (!isThere) process.stdout.write('skipped: ebpf/c-stripped was not found in shared/corpora\n')

function blobOf(name: string): Blob {
  return new Blob([new Uint8Array(readFileSync(join(FOLDER, name)))])
}

describe('debug files beside a profile', () => {
  test.skipIf(!isThere)('name its native frames, with inlined calls and lines', async () => {
    const name = readdirSync(FOLDER).find(file => file.endsWith('.otlp'))!
    const files = new OpenedFiles()
    const symbols = [{ name: 'c-stripped.debug', content: blobOf('c-stripped.debug') }]
    const plain = await files.open({ file: 'plain', name, content: blobOf(name), symbols: [] })
    const named = await files.open({ file: 'named', name, content: blobOf(name), symbols })
    expect([plain.namedAddresses, plain.symbols]).toEqual([0, []])
    expect(named.symbols).toEqual(['c-stripped.debug'])
    expect(named.namedAddresses).toBeGreaterThan(5)
    const namesIn = (file: string): readonly string[] => files.top({ file, type: '' }, false).frames.name
    expect(namesIn('plain')).toContain('[c-stripped]')
    expect(namesIn('named')).not.toContain('[c-stripped]')
    expect(namesIn('named')).toContain('main')
    const lines = files.top({ file: 'named', type: '' }, true)
    expect(lines.frames.file.some(file => file.endsWith('burn.c'))).toBe(true)
  })
})
