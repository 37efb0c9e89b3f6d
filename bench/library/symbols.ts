// The figures of native symbols in docs/benchmarks.md: npm run bench:symbols -- FILE… [--write]. For each debug file: the time and the
// memory to index it, the size of the index, the time to open the index, and lookups per second: the functions at an address with
// their files and lines.
import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { Worker, isMainThread, parentPort, workerData } from 'node:worker_threads'
import { SymbolIndex, readSymbols } from '@hearth/profile'
import { writeFigures } from '../write-figures.ts'

interface Indexed {
  readonly name: string
  readonly bytes: number
  readonly indexMs: number
  /** The largest growth of the resident memory, with the file itself. */
  readonly memoryBytes: number
  readonly indexBytes: number
  readonly openMs: number
  readonly lookupsPerSecond: number
}

const LOOKUPS = 2_000_000
const MEBIBYTE = 2 ** 20

/** Runs in a thread of its own, as in the server. The main thread watches the memory of the process. */
function indexed(path: string): Omit<Indexed, 'memoryBytes'> {
  const started = performance.now()
  const bytes = new Uint8Array(readFileSync(path))
  const { index } = readSymbols(bytes)
  const indexMs = performance.now() - started
  const opening = performance.now()
  const symbols = SymbolIndex.open(index)
  const openMs = performance.now() - opening
  const { starts, base } = symbols
  // Random addresses all over the code, prepared before the clock starts.
  const addresses = BigUint64Array.from(
    { length: LOOKUPS },
    (_, i) => base.address + BigInt(starts[(i * 7919) % starts.length]),
  )
  const before = performance.now()
  let found = 0
  for (const address of addresses) found += symbols.lookup(address).length
  const lookupsPerSecond = Math.round((1000 * LOOKUPS) / (performance.now() - before))
  if (found === 0) throw new Error('no address was found')
  return { name: basename(path), bytes: bytes.length, indexMs, indexBytes: index.length, openMs, lookupsPerSecond }
}

async function measured(path: string): Promise<Indexed> {
  globalThis.gc?.()
  const base = process.memoryUsage().rss
  let most = base
  const worker = new Worker(new URL(import.meta.url), { workerData: path })
  const watch = setInterval(() => (most = Math.max(most, process.memoryUsage().rss)), 5)
  try {
    const result = await new Promise<Omit<Indexed, 'memoryBytes'>>((resolve, reject) => {
      worker.once('message', resolve)
      worker.once('error', reject)
    })
    return { ...result, memoryBytes: Math.max(most, process.memoryUsage().rss) - base }
  } finally {
    clearInterval(watch)
    await worker.terminate()
  }
}

function tableOf(results: readonly Indexed[]): string {
  const mib = (bytes: number): string => `${(bytes / MEBIBYTE).toFixed(1)} MiB`
  return [
    '| debug file | size | indexed in | memory | of the file | index | opened in | lookups per second |',
    '|---|--:|--:|--:|--:|--:|--:|--:|',
    ...results.map(
      ({ name, bytes, indexMs, memoryBytes, indexBytes, openMs, lookupsPerSecond }) =>
        `| ${name} | ${mib(bytes)} | ${(indexMs / 1000).toFixed(2)} s | ${mib(memoryBytes)} | ${(memoryBytes / bytes).toFixed(1)}× ` +
        `| ${mib(indexBytes)} | ${openMs.toFixed(2)} ms | ${(lookupsPerSecond / 1e6).toFixed(1)} M |`,
    ),
  ].join('\n')
}

if (isMainThread) {
  const files = process.argv.slice(2).filter(argument => !argument.startsWith('--'))
  if (files.length === 0) {
    process.stderr.write('usage: npm run bench:symbols -- FILE… [--write], with binaries or debug files\n')
    process.exit(2)
  }
  const results: Indexed[] = []
  for (const file of files) results.push(await measured(file))
  const table = tableOf(results)
  console.log(table)
  writeFigures('bench:symbols', table)
} else {
  parentPort?.postMessage(indexed(workerData as string))
}
