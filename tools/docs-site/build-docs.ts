// Writes the documentation site: `npm run docs` into the built UI, which the server serves at /docs, or into a given folder.
import { copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { renderDocs } from './render-docs.ts'

const root = join(import.meta.dirname, '..', '..')
const folder = process.argv[2] ?? join(root, 'packages/web/dist/docs')
const { files, pictures, problems } = renderDocs(root)
for (const problem of problems) console.error(problem)
if (problems.length > 0) process.exit(1)
rmSync(folder, { recursive: true, force: true })
mkdirSync(folder, { recursive: true })
for (const [name, text] of files) writeFileSync(join(folder, name), text)
for (const [name, path] of pictures) {
  mkdirSync(dirname(join(folder, name)), { recursive: true })
  copyFileSync(join(root, path), join(folder, name))
}
for (const name of ['docs.css', 'search.js']) copyFileSync(join(import.meta.dirname, name), join(folder, name))
copyFileSync(join(root, 'packages/web/src/styles/hearth.svg'), join(folder, 'hearth.svg'))
