// `npm test`: runs every check to its end, all but the tests at the same time, and then the tests. Arguments pick some: `npm test -- lint format` runs those checks,
// `npm test -- packages/agent` runs the tests below that path.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { findChromium, thisMachine } from './find-chromium.ts'

interface Check {
  readonly name: string
  readonly command: string
  /** Printed when the check fails. */
  readonly fix: string
}

const checks: readonly Check[] = [
  {
    name: 'types',
    command: 'npm run --silent types',
    fix: 'correct the lines above; `npm run types` checks again',
  },
  { name: 'lint', command: 'oxlint', fix: '`npm run lint:fix` corrects what it can' },
  { name: 'format', command: 'oxfmt --check', fix: '`npm run format`' },
  {
    name: 'imports',
    command: 'tsx tools/check-imports.ts',
    fix: 'move the import, or change tools/allowed-imports.ts; `npm run imports` checks again',
  },
  {
    name: 'language',
    command: 'tsx tools/check-language.ts',
    fix: 'write the lines above as suggested (CONTRIBUTING.md); `npm run language -- PATH` checks again',
  },
  { name: 'tests', command: 'vitest run', fix: '`npm test -- FILE` runs one file, `npx vitest FILE` watches it' },
]

const root = join(import.meta.dirname, '..')

/** The checks to run, with paths handed to the tests. Undefined if an argument is neither a check nor a path. */
function chosenChecks(args: readonly string[]): readonly Check[] | undefined {
  const names = args.filter(argument => checks.some(({ name }) => name === argument))
  const paths = args.filter(argument => !names.includes(argument))
  const unknown = paths.filter(path => !existsSync(join(root, path)))
  if (unknown.length > 0) {
    console.error(
      `"${unknown.join('", "')}" is neither a path nor a check; checks: ${checks.map(c => c.name).join(', ')}`,
    )
    return undefined
  }
  if (args.length === 0) return checks
  return checks
    .filter(({ name }) => names.includes(name) || (name === 'tests' && paths.length > 0))
    .map(check => (check.name === 'tests' ? { ...check, command: [check.command, ...paths].join(' ') } : check))
}

interface Outcome {
  readonly check: Check
  readonly isOk: boolean
}

/** Runs the command. `stdio` says whether its output appears at once or at its end. */
async function run(check: Check, stdio: 'inherit' | 'pipe', env: NodeJS.ProcessEnv): Promise<Outcome> {
  const { name, command } = check
  const title = `\n== ${name}: ${command}`
  const start = performance.now()
  if (stdio === 'inherit') console.log(title)
  const child = spawn(command, { cwd: root, env, shell: true, stdio })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream?.setEncoding('utf8').on('data', text => (output += text))
  const [status] = (await once(child, 'close')) as [number | null]
  if (stdio === 'pipe') console.log(`${title}\n${output.trimEnd()}`)
  const seconds = ((performance.now() - start) / 1000).toFixed(1)
  console.log(`== ${name}: ${status === 0 ? 'ok' : 'FAILED'}, ${seconds} s`)
  return { check, isOk: status === 0 }
}

async function main(): Promise<void> {
  const chosen = chosenChecks(process.argv.slice(2))
  if (chosen === undefined) {
    process.exitCode = 2
    return
  }
  const env: NodeJS.ProcessEnv = { ...process.env }
  env['PATH'] = join(root, 'node_modules', '.bin') + delimiter + (env['PATH'] ?? '')
  const quick = chosen.filter(({ name }) => name !== 'tests')
  const stdio = quick.length === 1 ? 'inherit' : 'pipe'
  const outcomes = await Promise.all(quick.map(check => run(check, stdio, env)))
  let skipped: string | undefined
  // After the types, which write the declarations that the tests build upon.
  for (const check of chosen.filter(({ name }) => name === 'tests')) {
    const chromium = findChromium(thisMachine)
    env['CHROMIUM_PATH'] = chromium.kind === 'found' ? chromium.path : ''
    if (chromium.kind === 'missing') skipped = `Browser tests skipped: ${chromium.why}.`
    if (skipped !== undefined) console.log(skipped)
    outcomes.push(await run(check, 'inherit', env))
  }

  if (skipped !== undefined) console.log(`\n${skipped}`)
  const failed = outcomes.filter(({ isOk }) => !isOk)
  if (failed.length === 0) return
  console.error('\nFailed:')
  for (const { check } of failed) console.error(`  ${check.name}: ${check.fix}`)
  process.exitCode = 1
}

await main()
