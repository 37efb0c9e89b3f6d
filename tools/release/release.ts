// `npm run release -- 1.0.0`: sets the version of every package, moves the Unreleased section of the changelog to a section of its own,
// builds all artefacts into ./artifacts, checks them, commits and tags. It pushes nothing: `git push --follow-tags` starts the workflow
// that publishes.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PUBLIC_PACKAGES, packAll } from '../packaging/pack-all.ts'
import { changesOnDisk, sectionOf } from './release-notes.ts'
import { isNewer, isVersion, withRelease, withVersion } from './release-version.ts'

const root = join(import.meta.dirname, '..', '..')
const out = join(root, 'artifacts')
const CHANGES = join('tools', 'change-files')

const run = (command: string, ...args: readonly string[]): void =>
  void execFileSync(command, args, { cwd: root, stdio: 'inherit' })

const read = (path: string): string => readFileSync(join(root, path), 'utf8')
const write = (path: string, text: string): void => writeFileSync(join(root, path), text)

function manifests(): readonly string[] {
  const workspaces = readdirSync(join(root, 'packages')).map(name => join('packages', name, 'package.json'))
  return ['package.json', ...workspaces]
}

function fail(message: string): never {
  console.error(message)
  process.exit(1)
}

const [version = ''] = process.argv.slice(2)
if (!isVersion(version)) fail('usage: npm run release -- 1.2.3')
const { version: current } = JSON.parse(read('package.json')) as { readonly version: string }
if (!isNewer(version, current)) fail(`${version} is not newer than ${current}`)
if (execFileSync('git', ['status', '--porcelain'], { cwd: root, encoding: 'utf8' }) !== '')
  fail('commit or discard your changes first')

const names = manifests().map(path => (JSON.parse(read(path)) as { readonly name: string }).name)
for (const path of manifests()) write(path, withVersion(read(path), version, names))
run('npm', 'install', '--package-lock-only', '--ignore-scripts', '--no-audit', '--no-fund')
if (/"resolved": *"https?:/.test(read('package-lock.json'))) fail('package-lock.json contains download addresses')
const today = new Date().toISOString().slice(0, 10)
write('CHANGELOG.md', withRelease(read('CHANGELOG.md'), sectionOf(changesOnDisk()), version, today))
for (const name of readdirSync(join(root, CHANGES))) if (name !== 'README.md') rmSync(join(root, CHANGES, name))

run('npm', 'test')
rmSync(out, { recursive: true, force: true })
mkdirSync(out, { recursive: true })
run('npm', 'run', '--silent', 'build')
packAll(out, PUBLIC_PACKAGES)
run('npm', 'run', '--silent', 'sbom', '--', out)
const sums = readdirSync(out).map(name => {
  const hash = createHash('sha256').update(readFileSync(join(out, name)))
  return `${hash.digest('hex')}  ${name}\n`
})
writeFileSync(join(out, 'SHA256SUMS'), sums.join(''))
run('git', 'commit', '-qam', `Release ${version}`)
run('git', 'tag', '-a', `v${version}`, '-m', `Hearth ${version}`)
console.log(
  `Version ${version} is committed and tagged. Its artefacts are in artifacts/. \`git push --follow-tags\` publishes it.`,
)
