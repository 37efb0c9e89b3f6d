// Reading speed of other formats, on real files where available, and the memory for a Chrome trace of 100 MB.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ReadResult } from '@hearth/profile'
import { readChromeTrace, readFolded, readJfr, readPerfData, writeFolded } from '@hearth/profile'
import { corpusFile } from './corpus-file.ts'
import { serviceProfile } from './inputs.ts'

export interface FormatInput {
  readonly name: string
  readonly bytes: Uint8Array
  readonly read: (bytes: Uint8Array) => ReadResult
}

const WARM = 5
const COUNTED = 9

const FILES: readonly (readonly [name: string, file: string, read: (bytes: Uint8Array) => ReadResult])[] = [
  ['JFR, async-profiler', 'jfr/async-profiler.jfr.gz', readJfr],
  ['JFR, JDK allocation samples', 'jfr/object-allocation-sample.jfr.gz', readJfr],
  ['JFR, Kafka, CPU, locks, allocations', 'jfr/cortex-dev-01__kafka-0__cpu_lock0_alloc0__0.jfr.gz', readJfr],
  ['perf.data with call chains', 'perf-data/with-callchain.perf.data', readPerfData],
  ['perf.data of one process', 'perf-data/single-event-single-process.perf.data', readPerfData],
  ['Chrome trace, DevTools', 'chrome-trace/devtools-65.json', readChromeTrace],
]

/** The available files, and generated folded stacks. */
export function formatInputs(): FormatInput[] {
  const real = FILES.flatMap(([name, file, read]) => {
    const bytes = corpusFile(file)
    return bytes === undefined ? [] : [{ name, bytes, read }]
  })
  const folded = writeFolded(
    serviceProfile({
      seed: 7,
      types: [['cpu', 'nanoseconds']],
      samples: 20_000,
      functions: 4000,
      depth: 24,
      labelSets: 0,
    }),
  ).bytes
  return [...real, { name: 'folded stacks', bytes: folded, read: readFolded }]
}

/** The median of several readings after a warm-up. There is no peer to interleave with. */
export function microsToRead(bytes: Uint8Array, read: FormatInput['read']): number {
  const micros: number[] = []
  for (let i = 0; i < WARM + COUNTED; i++) {
    const begun = performance.now()
    read(bytes)
    if (i >= WARM) micros.push((performance.now() - begun) * 1000)
  }
  return micros.toSorted((a, b) => a - b)[COUNTED >> 1]
}

/** Peak memory in bytes of a process that reads a Chrome trace of this size. */
export function chromeTraceMemory(size: number): { readonly bytes: number; readonly peak: number } {
  const directory = mkdtempSync(join(tmpdir(), 'hearth-bench-'))
  try {
    const file = join(directory, 'trace.json')
    writeFileSync(file, chromeTrace(size))
    const child = spawnSync(process.execPath, [fileURLToPath(import.meta.url), file], { encoding: 'utf8' })
    if (child.status !== 0) throw new Error(child.stderr)
    return { bytes: readFileSync(file).length, peak: Number(child.stdout) }
  } finally {
    rmSync(directory, { recursive: true })
  }
}

/** Begin and end events of nested calls on eight threads, as tracing tools write them. */
function chromeTrace(size: number): string {
  const parts: string[] = ['{"traceEvents":[\n']
  let length = parts[0].length
  for (let i = 0; length < size; i++) {
    const time = i * 10
    const thread = `"pid":1,"tid":${i % 8}`
    const event = `{"name":"function ${(i * 7919) % 5000}","cat":"bench","ph":"X","ts":${time},"dur":${8 - (i % 7)},${thread}},\n`
    parts.push(event)
    length += event.length
  }
  parts.push('{"name":"end","cat":"bench","ph":"i","ts":0,"pid":1,"tid":1}]}\n')
  return parts.join('')
}

const [, script, file] = process.argv
if (script === fileURLToPath(import.meta.url) && file !== undefined) {
  readChromeTrace(readFileSync(file))
  process.stdout.write(String(process.resourceUsage().maxRSS * 1024))
}
