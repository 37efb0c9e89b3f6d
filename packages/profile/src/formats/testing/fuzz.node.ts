// Runs the fuzzer:  npm run fuzz -- [--format NAME] [--seconds 60] [--seed N]
// Writes a failing input to a file and prints the seed that reproduces it.
import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { formats } from '../registry.ts'
import { fixturesOf } from './fixtures-of.ts'
import { fuzz } from './fuzz.ts'

const { values } = parseArgs({
  options: {
    format: { type: 'string' },
    seconds: { type: 'string', default: '60' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000_000) },
  },
})
const chosen = formats.filter(one => one.read !== undefined && (values.format ?? one.name) === one.name)
if (chosen.length === 0) {
  console.error(`no readable format ${values.format}; known formats: ${formats.map(({ name }) => name).join(', ')}`)
  process.exit(2)
}
for (const format of chosen) {
  const corpus = fixturesOf(format).map(({ bytes }) => bytes)
  const end = Date.now() + (Number(values.seconds) * 1000) / chosen.length
  const { runs, read, rejected, failure } = fuzz(format, corpus, Number(values.seed), () => Date.now() < end)
  console.log(`${format.name}: ${runs} inputs from seed ${values.seed}, ${read} read, ${rejected} rejected`)
  if (failure === undefined) continue
  const file = `fuzz-${format.name}-${failure.seed}.bin`
  writeFileSync(file, failure.input)
  console.error(`${format.name}: seed ${failure.seed} (written to ${file}) failed:`, failure.error)
  process.exitCode = 1
}
