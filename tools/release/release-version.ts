// The edits of a release: versions in package.json files, and a section of the changelog.

const VERSION = /^(\d+)\.(\d+)\.(\d+)$/

export function isVersion(text: string): boolean {
  return VERSION.test(text)
}

export function isNewer(next: string, current: string): boolean {
  const [a, b] = [next, current].map(text => VERSION.exec(text)?.slice(1).map(Number) ?? [0, 0, 0])
  for (let i = 0; i < 3; i++) if (a[i] !== b[i]) return a[i] > b[i]
  return false
}

type Manifest = Record<string, unknown> & { version?: string }
const DEPENDENCIES = ['dependencies', 'devDependencies', 'optionalDependencies', 'peerDependencies']

/** The `repository` of a package.json: npm checks it against the provenance of a release, and resolves links of READMEs with it. */
export interface Repository {
  readonly type: 'git'
  readonly url: string
  /** The folder of the package. */
  readonly directory: string
}

/** The address of a repository as npm writes it. Accepts addresses of Git over SSH. Undefined for a folder, which others cannot reach. */
export function repositoryUrl(remote: string): string | undefined {
  const ssh = /^(?:ssh:\/\/)?git@([^:/]+)[:/](.+)$/.exec(remote)
  const address = ssh === null ? remote : `https://${ssh[1]}/${ssh[2]}`
  if (!/^https?:\/\//.test(address)) return undefined
  const url = new URL(address)
  // Credentials of a checkout must not be published.
  return `git+${url.protocol}//${url.host}${url.pathname.replace(/\/$/, '').replace(/(?:\.git)?$/, '.git')}`
}

/** The text of a package.json with the version, also in its dependencies on packages of `names`, and with its repository. */
export function withVersion(text: string, version: string, names: readonly string[], repository?: Repository): string {
  const manifest = JSON.parse(text) as Manifest
  if (repository !== undefined) manifest['repository'] = repository
  if (manifest.version !== undefined) manifest.version = version
  for (const key of DEPENDENCIES) {
    const dependencies = manifest[key] as Record<string, string> | undefined
    for (const name of Object.keys(dependencies ?? {})) if (names.includes(name)) dependencies![name] = version
  }
  return `${JSON.stringify(manifest, undefined, 2)}\n`
}

/** A file of the Helm chart with the version. Throws if it does not have the current one. */
export function withChartVersion(text: string, current: string, version: string): string {
  if (!text.includes(current)) throw new Error(`a file of the Helm chart does not name version ${current}`)
  return text.replaceAll(current, version)
}

/** The changelog with an empty Unreleased section, followed by the released changes. */
export function withRelease(changelog: string, section: string, version: string, date: string): string {
  const [heading, ...changes] = section.split('\n')
  const start = changelog.indexOf(`${heading}\n`)
  if (start < 0) throw new Error(`CHANGELOG.md has no line "${heading}"`)
  const next = changelog.indexOf('\n## ', start + heading.length)
  const rest = next < 0 ? '' : changelog.slice(next)
  return `${changelog.slice(0, start)}${heading}\n\n## ${version} (${date})\n${changes.join('\n')}${rest}`
}
