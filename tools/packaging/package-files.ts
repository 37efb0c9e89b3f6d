// Adds what a package needs only when it is published, before `npm pack`, and removes it afterwards. package.json calls it as `prepack` and
// `postpack`.
//
//   every package   the licence
//   server          the built UI
//   cli             the built UI, and a bundle of all packages. Its package.json then names only optional packages
import { cpSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { bundleCommand, separatePackages } from './bundle-command.ts'

const root = join(import.meta.dirname, '..', '..')
const folder = process.cwd()
const web = join(root, 'packages', 'web', 'dist')
const isCommand = basename(folder) === 'cli'

const copies: (readonly [from: string, to: string])[] = [[join(root, 'LICENSE'), join(folder, 'LICENSE')]]
if (isCommand || basename(folder) === 'server') copies.push([web, join(folder, 'web')])

const [action] = process.argv.slice(2)
for (const [from, to] of copies) {
  rmSync(to, { recursive: true, force: true })
  if (action === 'remove') continue
  if (!existsSync(from)) throw new Error(`${from} does not exist; run \`npm run build\` first`)
  cpSync(from, to, { recursive: true })
}

if (isCommand) {
  const bundle = join(folder, 'bundle')
  const manifest = join(folder, 'package.json')
  const original = join(folder, 'package.json.original')
  rmSync(bundle, { recursive: true, force: true })
  // It is also there if the last run was killed.
  if (existsSync(original)) renameSync(original, manifest)
  if (action !== 'remove') {
    await bundleCommand(bundle)
    cpSync(manifest, original)
    const entries = Object.entries(JSON.parse(readFileSync(manifest, 'utf8')) as object)
    const published = Object.fromEntries(entries.filter(([key]) => key !== 'dependencies'))
    const text = JSON.stringify({ ...published, optionalDependencies: separatePackages() }, undefined, 2)
    writeFileSync(`${manifest}.tmp`, `${text}\n`)
    renameSync(`${manifest}.tmp`, manifest)
  }
}
