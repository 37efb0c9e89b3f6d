// `tsx tools/release/check-tag.ts v1.0.0`: fails unless every public package has the version of the tag. The release workflow runs it.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PUBLIC_PACKAGES } from '../packaging/pack-all.ts'

const [tag = ''] = process.argv.slice(2)
const wrong = PUBLIC_PACKAGES.filter(name => {
  const text = readFileSync(join(import.meta.dirname, '..', '..', 'packages', name, 'package.json'), 'utf8')
  return `v${(JSON.parse(text) as { readonly version: string }).version}` !== tag
})
if (wrong.length > 0) {
  console.error(`not the version of the tag ${tag}: ${wrong.join(', ')}`)
  process.exitCode = 1
}
