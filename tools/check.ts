// `npm test`: runs every check in order, each to its end. Arguments pick some: `npm test -- lint format` runs those checks,
// `npm test -- packages/agent` runs the tests below that path.
import { spawnSync } from 'node:child_process'
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

function main(): void {
  const chosen = chosenChecks(process.argv.slice(2))
  if (chosen === undefined) {
    process.exitCode = 2
    return
  }
  const env: NodeJS.ProcessEnv = { ...process.env }
  env['PATH'] = join(root, 'node_modules', '.bin') + delimiter + (env['PATH'] ?? '')
  const failed: Check[] = []
  let skipped: string | undefined
  for (const check of chosen) {
    console.log(`\n== ${check.name}: ${check.command}`)
    const start = performance.now()
    if (check.name === 'tests') {
      const chromium = findChromium(thisMachine)
      env['CHROMIUM_PATH'] = chromium.kind === 'found' ? chromium.path : ''
      if (chromium.kind === 'missing') skipped = `Browser tests skipped: ${chromium.why}.`
      if (skipped !== undefined) console.log(skipped)
    }
    const { status } = spawnSync(check.command, { cwd: root, env, shell: true, stdio: 'inherit' })
    const seconds = ((performance.now() - start) / 1000).toFixed(1)
    console.log(`== ${check.name}: ${status === 0 ? 'ok' : 'FAILED'}, ${seconds} s`)
    if (status !== 0) failed.push(check)
  }

  if (skipped !== undefined) console.log(`\n${skipped}`)
  if (failed.length === 0) return
  console.error('\nFailed:')
  for (const { name, fix } of failed) console.error(`  ${name}: ${fix}`)
  process.exitCode = 1
}

main()
