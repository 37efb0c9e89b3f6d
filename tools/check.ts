// Every check, in order, each to its end: `npm test`. Names pick some of them: `npm test -- lint format`.
import { spawnSync } from 'node:child_process'
import { delimiter, join } from 'node:path'
import { findChromium, thisMachine } from './find-chromium.ts'

interface Step {
  readonly name: string
  readonly command: string
  readonly fix: string // what to do when it fails
}

const steps: readonly Step[] = [
  {
    name: 'types',
    // The first builds each package under its own rules (no Node in packages/profile), the second checks the rest, the
    // others the page, which has the DOM, and its tests, which have Node as well.
    command:
      'tsc -b tsconfig.build.json && tsc -p tsconfig.json && ' +
      'tsc -p packages/web && tsc -p packages/web/tsconfig.page.json',
    fix: 'correct the lines above; `npm run types` checks again',
  },
  { name: 'lint', command: 'oxlint', fix: '`npm run lint:fix` mends what can be mended by itself' },
  { name: 'format', command: 'oxfmt --check', fix: '`npm run format`' },
  {
    name: 'imports',
    command: 'tsx tools/check-imports.ts',
    fix: 'move the import, or change tools/allowed-imports.ts; `npm run imports` checks again',
  },
  { name: 'tests', command: 'vitest run', fix: '`npx vitest run FILE` runs one file, `npx vitest FILE` watches it' },
]

function main(): void {
  const root = join(import.meta.dirname, '..')
  const wanted = process.argv.slice(2)
  const unknown = wanted.filter(name => !steps.some(step => step.name === name))
  if (unknown.length > 0) {
    console.error(`No such check: ${unknown.join(', ')}. There are ${steps.map(step => step.name).join(', ')}.`)
    process.exitCode = 2
    return
  }

  const env: NodeJS.ProcessEnv = { ...process.env }
  env['PATH'] = join(root, 'node_modules', '.bin') + delimiter + (env['PATH'] ?? '')
  const failed: Step[] = []
  let skipped: string | undefined
  for (const step of steps) {
    if (wanted.length > 0 && !wanted.includes(step.name)) continue
    console.log(`\n== ${step.name}: ${step.command}`)
    const start = performance.now()
    if (step.name === 'tests') {
      const chromium = findChromium(thisMachine)
      env['CHROMIUM_PATH'] = chromium.kind === 'found' ? chromium.path : ''
      if (chromium.kind === 'missing') skipped = `Browser tests skipped: ${chromium.why}.`
      if (skipped !== undefined) console.log(skipped)
    }
    const { status } = spawnSync(step.command, { cwd: root, env, shell: true, stdio: 'inherit' })
    const seconds = ((performance.now() - start) / 1000).toFixed(1)
    console.log(`== ${step.name}: ${status === 0 ? 'ok' : 'FAILED'}, ${seconds} s`)
    if (status !== 0) failed.push(step)
  }

  if (skipped !== undefined) console.log(`\n${skipped}`)
  if (failed.length === 0) return
  console.error('\nFailed:')
  for (const { name, fix } of failed) console.error(`  ${name}: ${fix}`)
  process.exitCode = 1
}

main()
