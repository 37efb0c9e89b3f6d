// `npm run release -- 1.0.0`: sets the version of every package and of the Helm chart, and the repository of the packages, moves the
// Unreleased section of the changelog to a section of its own, runs every check, builds all artefacts into ./artifacts, commits and tags.
// It pushes nothing: `git push --follow-tags` starts the workflow that publishes. With `--dry-run`, it builds the artefacts, runs only
// the test of the installed packages, and restores every file.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { PUBLIC_PACKAGES, packAll } from '../packaging/pack-all.ts'
import { changesOnDisk, sectionOf } from './release-notes.ts'
import { isNewer, isVersion, repositoryUrl, withChartVersion, withRelease, withVersion } from './release-version.ts'

const root = join(import.meta.dirname, '..', '..')
const out = join(root, 'artifacts')
const CHANGES = join('tools', 'change-files')

const CHART = ['Chart.yaml', 'values.yaml'].map(name => join('deploy', 'helm', 'hearth', name))

const run = (command: string, ...args: readonly string[]): void =>
  void execFileSync(command, args, { cwd: root, stdio: 'inherit' })

const read = (path: string): string => readFileSync(join(root, path), 'utf8')
const write = (path: string, text: string): void => writeFileSync(join(root, path), text)

/** The package.json files of the project and of all its workspaces: examples depend on the packages too. */
function manifests(): readonly string[] {
  const { workspaces } = JSON.parse(read('package.json')) as { readonly workspaces: readonly string[] }
  const folders = workspaces.flatMap(path => {
    const parent = path.replace(/\/\*$/, '')
    return parent === path ? [path] : readdirSync(join(root, parent)).map(name => join(parent, name))
  })
  return ['package.json', ...folders.map(folder => join(folder, 'package.json')).filter(isFile)]
}

function isFile(path: string): boolean {
  return existsSync(join(root, path))
}

function hasDpkg(): boolean {
  try {
    execFileSync('dpkg-deb', ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/** The public address of the repository. Undefined if Git knows none, as in a clone of a folder. */
function origin(): string | undefined {
  const args = ['remote', 'get-url', 'origin']
  try {
    return repositoryUrl(execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: 'pipe' }).trim())
  } catch {
    return undefined
  }
}

function fail(message: string): never {
  console.error(message)
  process.exit(1)
}

const [version = '', option] = process.argv.slice(2)
const isDry = option === '--dry-run'
if (!isVersion(version) || (option !== undefined && !isDry)) fail('usage: npm run release -- 1.2.3 [--dry-run]')
const { version: current } = JSON.parse(read('package.json')) as { readonly version: string }
if (!isNewer(version, current)) fail(`${version} is not newer than ${current}`)
if (execFileSync('git', ['status', '--porcelain'], { cwd: root, encoding: 'utf8' }) !== '')
  fail('commit or discard your changes first')

if (isDry) process.on('exit', () => void execFileSync('git', ['checkout', '-q', '--', '.'], { cwd: root }))

const url = origin()
if (url === undefined) {
  const problem = 'the Git remote `origin` has no public address, so that the packages cannot name their repository'
  if (!isDry) fail(problem)
  console.log(problem)
}
const names = manifests().map(path => (JSON.parse(read(path)) as { readonly name: string }).name)
for (const path of manifests()) {
  const isPublic = PUBLIC_PACKAGES.some(name => path === join('packages', name, 'package.json'))
  const repository =
    url === undefined || !isPublic ? undefined : ({ type: 'git', url, directory: dirname(path) } as const)
  write(path, withVersion(read(path), version, names, repository))
}
for (const path of CHART) write(path, withChartVersion(read(path), current, version))
run('npm', 'install', '--package-lock-only', '--ignore-scripts', '--no-audit', '--no-fund')
if (/"resolved": *"https?:/.test(read('package-lock.json'))) fail('package-lock.json contains download addresses')
const today = new Date().toISOString().slice(0, 10)
write('CHANGELOG.md', withRelease(read('CHANGELOG.md'), sectionOf(changesOnDisk()), version, today))
for (const name of readdirSync(join(root, CHANGES))) if (name !== 'README.md') rmSync(join(root, CHANGES, name))

if (isDry) run('npm', 'test', '--', 'tools/packaging')
else run('npm', 'test')
rmSync(out, { recursive: true, force: true })
mkdirSync(out, { recursive: true })
run('npm', 'run', '--silent', 'build')
packAll(out, PUBLIC_PACKAGES)
run('npm', 'run', '--silent', 'sbom', '--', out)
if (hasDpkg()) run('npx', 'tsx', 'tools/packaging/build-deb.ts')
else console.log('dpkg-deb is missing, so that the Debian package is not built here; the workflow builds it')
const sums = readdirSync(out).map(name => {
  const hash = createHash('sha256').update(readFileSync(join(out, name)))
  return `${hash.digest('hex')}  ${name}\n`
})
writeFileSync(join(out, 'SHA256SUMS'), sums.join(''))
if (isDry) {
  console.log(`The artefacts of version ${version} are in artifacts/. Nothing is committed or tagged.`)
  process.exit(0)
}
run('git', 'commit', '-qam', `Release ${version}`)
run('git', 'tag', '-a', `v${version}`, '-m', `Hearth ${version}`)
console.log(
  `Version ${version} is committed and tagged. Its artefacts are in artifacts/. \`git push --follow-tags\` publishes it.`,
)
