// The software bill of materials (CycloneDX) and the licence list of everything that users install, from the lock file.
import { createHash } from 'node:crypto'

/** The part of an entry in package-lock.json that is used here. */
export interface LockedPackage {
  readonly name?: string
  readonly version?: string
  readonly license?: string
  readonly integrity?: string
  readonly dev?: boolean
  readonly link?: boolean
  readonly dependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

export interface LockFile {
  readonly name: string
  readonly version?: string
  /** By path: `packages/server`, `node_modules/zod`. */
  readonly packages: Readonly<Record<string, LockedPackage>>
}

export interface Part {
  readonly name: string
  readonly version: string
  /** An SPDX expression. */
  readonly license: string
  /** The package URL. */
  readonly purl: string
  /** Whether it is a package of this repository. */
  readonly isOwn: boolean
  readonly integrity: string | undefined
  /** Package URLs. */
  readonly dependsOn: readonly string[]
}

/** Licences whose terms fit Apache-2.0. */
const ALLOWED = new Set([
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'CC0-1.0',
  'ISC',
  'MIT',
  'OFL-1.1',
  'Unlicense',
  'Zlib',
])

export class LicenceError extends Error {
  override readonly name = 'LicenceError'
}

/** Everything that users install, sorted by name. `licenseOf` reads the licence of an installed package. Throws LicenceError. */
export function partsOf(lock: LockFile, licenseOf: (path: string) => string | undefined): readonly Part[] {
  const { packages } = lock
  const shipped = new Set<string>()
  const visit = (path: string): void => {
    if (shipped.has(path)) return
    shipped.add(path)
    for (const next of dependenciesOf(packages, path)) visit(next)
  }
  for (const path of Object.keys(packages)) if (/^packages\/[^/]+$/.test(path)) visit(path)
  const parts = new Map<string, Part>()
  for (const path of shipped) {
    const part = partAt(packages, path, licenseOf)
    parts.set(part.purl, part)
  }
  const refused = [...parts.values()].filter(({ license }) => !isAllowed(license))
  if (refused.length > 0)
    throw new LicenceError(
      `licences that do not fit: ${refused.map(({ name, license }) => `${name} (${license || 'none'})`).join(', ')}`,
    )
  return [...parts.values()].toSorted((a, b) => (a.purl < b.purl ? -1 : 1))
}

function partAt(packages: LockFile['packages'], path: string, licenseOf: (path: string) => string | undefined): Part {
  const { version = '0.0.0', license, integrity } = packages[path]
  const name = nameAt(packages, path)
  return {
    name,
    version,
    license: license ?? licenseOf(path) ?? '',
    purl: purlOf(name, version),
    isOwn: !path.includes('node_modules/'),
    integrity,
    dependsOn: dependenciesOf(packages, path)
      .map(next => purlOf(nameAt(packages, next), packages[next].version ?? '0.0.0'))
      .toSorted(),
  }
}

function nameAt(packages: LockFile['packages'], path: string): string {
  return packages[path].name ?? path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)
}

/** The paths that a package's dependencies resolve to, as Node resolves them: the nearest node_modules folder wins. */
function dependenciesOf(packages: LockFile['packages'], path: string): string[] {
  const { dependencies = {}, optionalDependencies = {} } = packages[path]
  return Object.keys({ ...dependencies, ...optionalDependencies }).flatMap(name => {
    for (let folder = path; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/')))) {
      const found = `${folder === '' ? '' : `${folder}/`}node_modules/${name}`
      const entry = packages[found]
      if (entry?.link === true) {
        const own = Object.keys(packages).find(each => packages[each].name === name && !each.includes('node_modules/'))
        return own === undefined ? [] : [own]
      }
      if (entry !== undefined) return [found]
      if (folder === '') return []
    }
  })
}

function purlOf(name: string, version: string): string {
  return `pkg:npm/${name.replace('@', '%40')}@${version}`
}

function isAllowed(expression: string): boolean {
  const choices = expression.replaceAll(/[()]/g, '').split(' OR ')
  return choices.some(choice => choice.split(' AND ').every(name => ALLOWED.has(name.trim())))
}

/** A document of CycloneDX 1.6. Equal parts make an equal document. */
export function billOfMaterials(product: string, version: string, parts: readonly Part[]): object {
  const serial = createHash('sha256').update(JSON.stringify(parts)).digest('hex')
  const uuid = `${serial.slice(0, 8)}-${serial.slice(8, 12)}-4${serial.slice(13, 16)}-8${serial.slice(17, 20)}-${serial.slice(20, 32)}`
  const root = `pkg:npm/${product}@${version}`
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    serialNumber: `urn:uuid:${uuid}`,
    version: 1,
    metadata: { component: { type: 'application', 'bom-ref': root, name: product, version, purl: root } },
    components: parts.map(componentOf),
    dependencies: [
      { ref: root, dependsOn: parts.filter(({ isOwn }) => isOwn).map(({ purl }) => purl) },
      ...parts.map(({ purl, dependsOn }) => ({ ref: purl, dependsOn })),
    ],
  }
}

function componentOf({ name, version, license, purl, integrity }: Part): object {
  const sha512 = /^sha512-(\S+)$/.exec(integrity ?? '')?.[1]
  return {
    type: 'library',
    'bom-ref': purl,
    name,
    version,
    licenses: /[ (]/.test(license) ? [{ expression: license }] : [{ license: { id: license } }],
    purl,
    ...(sha512 === undefined
      ? {}
      : { hashes: [{ alg: 'SHA-512', content: Buffer.from(sha512, 'base64').toString('hex') }] }),
  }
}

export function licenceList(parts: readonly Part[]): string {
  const others = parts.filter(({ isOwn }) => !isOwn)
  const counts = new Map<string, number>()
  for (const { license } of others) counts.set(license, (counts.get(license) ?? 0) + 1)
  const summary = [...counts].toSorted((a, b) => b[1] - a[1]).map(([license, count]) => `${license}: ${count}`)
  const rows = others.map(({ name, version, license }) => `| ${name} | ${version} | ${license} |`)
  return [
    '# Licences of third-party software',
    '',
    `Packages that users install with Hearth. ${summary.join(', ')}.`,
    '',
    '| package | version | licence |',
    '|---|---|---|',
    ...rows,
    '',
  ].join('\n')
}
