// Adds the files that a package needs only when it is published, before `npm pack`, and removes them afterwards: the licence, and for
// the server the built UI. package.json calls it as `prepack` and `postpack`.
import { cpSync, existsSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'

const root = join(import.meta.dirname, '..', '..')
const folder = process.cwd()
const web = join(root, 'packages', 'web', 'dist')

const copies: (readonly [from: string, to: string])[] = [[join(root, 'LICENSE'), join(folder, 'LICENSE')]]
if (basename(folder) === 'server') copies.push([web, join(folder, 'web')])

const [action] = process.argv.slice(2)
for (const [from, to] of copies) {
  rmSync(to, { recursive: true, force: true })
  if (action === 'remove') continue
  if (!existsSync(from)) throw new Error(`${from} does not exist; run \`npm run build\` first`)
  cpSync(from, to, { recursive: true })
}
