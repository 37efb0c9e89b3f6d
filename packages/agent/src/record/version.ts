// The version of this package. Profiles and requests contain it.
import { readFileSync } from 'node:fs'

export const VERSION = versionAbove(new URL('.', import.meta.url))

/** Looks for package.json in the folder and the two above it: src/record and dist are at different depths. The bundle of the command contains this module too. */
function versionAbove(folder: URL): string {
  for (const path of ['package.json', '../package.json', '../../package.json']) {
    try {
      const content = JSON.parse(readFileSync(new URL(path, folder), 'utf8')) as { name?: unknown; version?: unknown }
      if (content.name === '@hearth/agent' || content.name === '@hearth/cli') return String(content.version)
    } catch {
      // The folder has none, or a bundle of an application does not include it.
    }
  }
  return '0.0.0'
}
