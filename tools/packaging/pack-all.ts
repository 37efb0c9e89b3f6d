// The packages that users install, and their tarballs: `tsx tools/packaging/pack-all.ts FOLDER` writes all of them.
import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'

const root = join(import.meta.dirname, '..', '..')

export const PUBLIC_PACKAGES = ['agent', 'broker', 'cli', 'client', 'codecs', 'mcp', 'profile', 'server', 'signals']

/** Packs the packages into the folder and returns the paths of the tarballs. The packages must be built. */
export function packAll(folder: string, packages: readonly string[]): readonly string[] {
  const workspaces = packages.flatMap(name => ['-w', `packages/${name}`])
  execFileSync('npm', ['pack', '--pack-destination', folder, ...workspaces], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  return readdirSync(folder)
    .filter(name => name.endsWith('.tgz'))
    .map(name => join(folder, name))
}

if (import.meta.filename === process.argv[1]) {
  const folder = resolve(process.argv[2] ?? 'artifacts')
  mkdirSync(folder, { recursive: true })
  for (const file of packAll(folder, PUBLIC_PACKAGES)) console.log(file)
}
