// The packages that users install, and their tarballs.
import { execFileSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'

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
