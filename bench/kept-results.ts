// Benchmarks in parts: each run keeps its results, and with `--continue` it adds the ones of the runs before. So a machine need not
// be quiet for as long as all parts take.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const FOLDER = fileURLToPath(new URL('results', import.meta.url))

/** Returns the results of earlier runs followed by these. A result replaces earlier ones with the same key. */
export function withEarlier<Result>(
  name: string,
  results: readonly Result[],
  keyOf: (result: Result) => string,
  { folder = FOLDER, isContinued = process.argv.includes('--continue') } = {},
): readonly Result[] {
  const file = join(folder, `${name}.json`)
  const keys = new Set(results.map(keyOf))
  const earlier = isContinued ? (JSON.parse(readFileSync(file, 'utf8')) as Result[]) : []
  const all = [...earlier.filter(result => !keys.has(keyOf(result))), ...results]
  mkdirSync(folder, { recursive: true })
  writeFileSync(file, JSON.stringify(all))
  return all
}
