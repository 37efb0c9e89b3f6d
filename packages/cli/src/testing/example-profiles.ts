// The profiles of the command tests, and files of them: a small service, recorded twice. The numbers are small enough for mental
// arithmetic.
//
//   web, cpu in ns         before   after          web, alloc_space in bytes   both
//   main run gc              3 s      1 s          main run parse              1536
//   main run parse           2 s      4 s
//   main idle                1 s        -
//   main log                   -      2 s
//   batch, cpu in ns
//   main (no symbols)      500 ms   500 ms
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import * as path from 'node:path'
import type { LocationIndex, Profiles } from '@hearth/profile'
import { ProfilesBuilder, writeProfile } from '@hearth/profile'
import { afterAll } from 'vitest'

const SECOND = 1_000_000_000n
const START = 1_700_000_000n * SECOND

export function beforeProfiles(): Profiles {
  return service([
    ['gc', 3n * SECOND],
    ['parse', 2n * SECOND],
    ['idle', SECOND],
  ])
}

export function afterProfiles(start = START): Profiles {
  return service(
    [
      ['gc', SECOND],
      ['parse', 4n * SECOND],
      ['log', 2n * SECOND],
    ],
    start,
  )
}

function service(leaves: readonly (readonly [leaf: string, nanoseconds: bigint])[], start = START): Profiles {
  const b = new ProfilesBuilder()
  const at = (name: string, file: string, line: number): LocationIndex =>
    b.location({ lines: [{ function: b.function({ name, filename: file }), line }] })
  const main = at('main', 'src/main.ts', 12)
  const run = at('run', 'src/main.ts', 40)
  const stacks: Readonly<Record<string, readonly LocationIndex[]>> = {
    gc: [at('gc', 'src/heap.ts', 7), run, main],
    parse: [at('parse', 'src/parse.ts', 99), run, main],
    idle: [at('idle', 'src/main.ts', 50), main],
    log: [at('log', 'src/log.ts', 3), main],
  }
  const cpu = {
    type: 'cpu',
    unit: 'ns',
    periodType: 'cpu',
    periodUnit: 'ns',
    period: 10_000_000n,
    timeUnixNano: start,
    durationNano: 10n * SECOND,
  }
  b.resource({
    attributes: [
      { key: 'service.name', value: 'web' },
      { key: 'process.pid', value: 7n },
    ],
  })
  b.scope({ name: 'example', version: '1.0' })
  b.profile({ ...cpu, attributes: [b.attribute('host.arch', 'amd64')] })
  for (const [leaf, value] of leaves) {
    const attributes = [b.attribute('thread.name', leaf === 'gc' ? 'collector' : 'main')]
    b.sample({ stack: b.stack(stacks[leaf]), values: [value], attributes })
  }
  b.profile({ type: 'alloc_space', unit: 'By', timeUnixNano: start, durationNano: 10n * SECOND })
  b.sample({ stack: b.stack(stacks['parse']), values: [1536n] })
  b.resource({ attributes: [{ key: 'service.name', value: 'batch' }] })
  b.scope({ name: 'example', version: '1.0' })
  b.profile({ ...cpu, unit: 'nanoseconds' })
  const mapping = b.mapping({ memoryStart: 0x1000n, memoryLimit: 0x9000n, filename: '/opt/batch' })
  b.sample({ stack: b.stack([b.location({ mapping, address: 0x1234n })]), values: [500_000_000n] })
  return b.build()
}

/** A folder with the files by name. It is removed after the tests of the calling file. */
export function exampleFiles(): (name: string) => string {
  const folder = mkdtempSync(path.join(tmpdir(), 'hearth-cli-'))
  afterAll(() => rmSync(folder, { recursive: true }))
  const put = (name: string, bytes: Uint8Array): void => writeFileSync(path.join(folder, name), bytes)
  put('before.otlp', writeProfile(beforeProfiles(), 'otlp').bytes)
  put('after.otlp', writeProfile(afterProfiles(), 'otlp').bytes)
  put('empty.otlp', new Uint8Array(0))
  put(
    'noise.bin',
    Uint8Array.from({ length: 64 }, (_, i) => 255 - i),
  )
  return name => path.join(folder, name)
}
