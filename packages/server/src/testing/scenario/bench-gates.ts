// `hearth bench` and `hearth gate` with processes that never share anything: each set of runs is recorded again, so that chance gets a
// new try every time.
import { execFile } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../../../../../', import.meta.url))
const HEARTH = join(ROOT, 'packages/cli/dist/hearth.js')
const BENCHMARK = join(ROOT, 'examples/shop/dist/benchmark.js')
/** Runs of each side of a gate. */
const RUNS = 4

/** Returns the exit status. */
export async function runHearth(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<number> {
  return new Promise(resolve =>
    execFile(process.execPath, [HEARTH, ...args], { env: { ...process.env, ...env } }, error =>
      resolve(error === null ? 0 : Number((error as { code?: unknown }).code)),
    ),
  )
}

export interface GateCounts {
  /** Gates between the two versions that failed, as they should. */
  readonly failed: number
  /** Gates between two sets of runs of one version that passed, as they should. */
  readonly passed: number
}

/** Gates `times` pairs of new runs of one version, and of two versions. */
export async function gateBenchmarks(directory: string, times: number): Promise<GateCounts> {
  const record = async (name: string, rankings: number): Promise<readonly string[]> => {
    const folder = join(directory, name)
    const bench = ['bench', '-n', String(RUNS), '--warm-up', '0', '-o', folder, '--', process.execPath, BENCHMARK]
    const status = await runHearth(bench, { SHOP_RANKINGS: String(rankings) })
    if (status !== 0) throw new Error(`hearth ${bench.join(' ')} ended with ${status}`)
    return readdirSync(folder).map(file => join(folder, file))
  }
  const gate = async (base: readonly string[], fresh: readonly string[]): Promise<number> =>
    runHearth(['gate', '--absolute', '--base', ...base, '--new', ...fresh])
  let [failed, passed] = [0, 0]
  let base = await record('base', 1)
  for (let i = 0; i < times; i++) {
    const same = await record(`same-${i}`, 1)
    const slower = await record(`slower-${i}`, 2)
    if ((await gate(base, slower)) === 1) failed++
    if ((await gate(base, same)) === 0) passed++
    base = same
  }
  return { failed, passed }
}
