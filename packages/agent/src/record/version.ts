// The version of this package. Profiles and requests contain it.
import { readFileSync } from 'node:fs'

export const VERSION = versionIn(new URL('../../package.json', import.meta.url))

function versionIn(file: URL): string {
  try {
    const content: unknown = JSON.parse(readFileSync(file, 'utf8'))
    if (typeof content === 'object' && content !== null && 'version' in content) return String(content.version)
  } catch {
    // A bundle may lack the file.
  }
  return '0.0.0'
}
