// Runs the fuzzer:  npm run fuzz -- [--format NAME] [--seconds 60] [--seed N]
// It covers every format and, as `symbols`, the files of native symbols. Writes a failing input to a file and prints the seed
// that reproduces it.
import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { fuzzSymbols, symbolFiles } from '../../symbols/native/testing/fuzz-symbols.ts'
import { formats } from '../registry.ts'
import { fixturesOf } from './fixtures-of.ts'
import type { FuzzReport } from './fuzz.ts'
import { fuzz } from './fuzz.ts'

const { values } = parseArgs({
  options: {
    format: { type: 'string' },
    seconds: { type: 'string', default: '60' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000_000) },
  },
})
type Run = (seed: number, goOn: (runs: number) => boolean) => FuzzReport

const SYMBOLS = 'symbols'
const runs = new Map<string, Run>()
for (const format of formats) {
  if (format.read === undefined) continue
  runs.set(format.name, (seed, goOn) =>
    fuzz(
      format,
      fixturesOf(format).map(({ bytes }) => bytes),
      seed,
      goOn,
    ),
  )
}
runs.set(SYMBOLS, (seed, goOn) => fuzzSymbols(symbolFiles(), seed, goOn))

const chosen = [...runs].filter(([name]) => (values.format ?? name) === name)
if (chosen.length === 0) {
  console.error(`no readable format ${values.format}; known formats: ${[...runs.keys()].join(', ')}`)
  process.exit(2)
}
for (const [name, run] of chosen) {
  const end = Date.now() + (Number(values.seconds) * 1000) / chosen.length
  const { runs: count, read, rejected, failure } = run(Number(values.seed), () => Date.now() < end)
  console.log(`${name}: ${count} inputs from seed ${values.seed}, ${read} read, ${rejected} rejected`)
  if (failure === undefined) continue
  const file = `fuzz-${name}-${failure.seed}.bin`
  writeFileSync(file, failure.input)
  console.error(`${name}: seed ${failure.seed} (written to ${file}) failed:`, failure.error)
  process.exitCode = 1
}
