// Hearth next to other profiling backends: npm run bench:peers. HEARTH_TEST_PYROSCOPE and HEARTH_TEST_PARCA name their
// programs. Each server gets the same profiles from the same client, and the same queries where it has the same API: a CPU
// profile of a Go service, for 40 services, 128 requests at a time. A peer that is not named is skipped. `--profiles=1000`
// sends fewer, `--write` updates docs/benchmarks.md and requires all. All steps have time limits: the three servers take five to ten
// minutes on two idle cores. `--only=Hearth` measures one server, and `--only=Pyroscope --continue` adds another to its table.
import type { Backend } from './backend.ts'
import { hearth, parca, pyroscope } from './backends.ts'
import type { Figures } from './measure-backend.ts'
import { measureBackend } from './measure-backend.ts'
import { comparison } from './comparison.ts'
import { pushedProfile } from './requests.ts'
import { withEarlier } from '../kept-results.ts'
import { writeFigures } from '../write-figures.ts'

const PEERS = [
  { variable: 'HEARTH_TEST_PYROSCOPE', backend: pyroscope },
  { variable: 'HEARTH_TEST_PARCA', backend: parca },
]

function flag(name: string): string | undefined {
  return process.argv.find(argument => argument.startsWith(`--${name}=`))?.slice(name.length + 3)
}

function backends(): readonly Backend[] {
  const named = PEERS.flatMap(({ variable, backend }) => {
    const file = process.env[variable]
    if (file === undefined) console.error(`skipped: ${variable} names no program`)
    return file === undefined ? [] : [backend(file)]
  })
  const only = flag('only')
  return [hearth, ...named].filter(({ name }) => only === undefined || name === only)
}

const profile = pushedProfile()
const requests = Number(flag('profiles') ?? 10_000)
const measured: Figures[] = []
for (const backend of backends()) {
  console.error(`measuring ${backend.name}`)
  try {
    measured.push(await measureBackend(backend, profile, requests))
  } catch (error) {
    // The figures of the others are shown, but not written.
    if (backend === hearth) throw error
    console.error(`skipped ${backend.name}:`, error)
    process.exitCode = 1
  }
}
const ORDER = ['Hearth', 'Pyroscope', 'Parca']
const all = withEarlier('peers', measured, ({ name }) => name).toSorted(
  (a, b) => ORDER.indexOf(a.name) - ORDER.indexOf(b.name),
)
const table = comparison(all, profile, requests)
console.log(table)
if (process.argv.includes('--write') && all.length < ORDER.length) throw new Error('--write requires all servers')
if (process.exitCode === undefined) writeFigures('bench:peers', table)
