// Checks that docs/cli.md matches the help of the commands. `npm run cli-reference` writes it.
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')
const page = join(root, 'docs/cli.md')

function main(): void {
  const script = join(root, 'packages/cli/src/testing/print-reference.node.ts')
  const node = ['--conditions=hearth-source', '--import', 'tsx', script]
  const text = execFileSync(process.execPath, node, { cwd: root, encoding: 'utf8' })
  if (process.argv.includes('--write')) writeFileSync(page, text)
  else if (existsSync(page) && readFileSync(page, 'utf8') === text) console.log('docs/cli.md is up to date.')
  else {
    console.error('docs/cli.md differs from the help of the commands; `npm run cli-reference` writes it.')
    process.exitCode = 1
  }
}

main()
