// `npm run sbom`: writes the software bill of materials and the licence list to a folder, `dist/sbom` unless given.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { LockFile } from './bill-of-materials.ts'
import { billOfMaterials, licenceList, partsOf } from './bill-of-materials.ts'

const { positionals } = parseArgs({ allowPositionals: true })
const [folder = join('dist', 'sbom')] = positionals
const lock = JSON.parse(readFileSync('package-lock.json', 'utf8')) as LockFile
const { version } = JSON.parse(readFileSync(join('packages', 'cli', 'package.json'), 'utf8')) as { version: string }
const parts = partsOf(lock, installedLicence)
mkdirSync(folder, { recursive: true })
writeFileSync(
  join(folder, 'hearth.cdx.json'),
  `${JSON.stringify(billOfMaterials('hearth', version, parts), undefined, 2)}\n`,
)
writeFileSync(join(folder, 'LICENCES.md'), licenceList(parts))
console.log(`${parts.length} packages: ${join(folder, 'hearth.cdx.json')}, ${join(folder, 'LICENCES.md')}`)

/** For packages whose licence is not in the lock file. */
function installedLicence(path: string): string | undefined {
  try {
    const { license } = JSON.parse(readFileSync(join(path, 'package.json'), 'utf8')) as { license?: unknown }
    return typeof license === 'string' ? license : undefined
  } catch {
    return undefined
  }
}
