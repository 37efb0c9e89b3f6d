// The default name of a service: the name in the package.json nearest to the started script, so that two programs do not look
// like one. Without such a name it is OpenTelemetry's `unknown_service:node`.
import { readFileSync, realpathSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

const MAX_LEVELS = 32

export function packageNameOf(script: string | undefined): string | undefined {
  if (script === undefined || script === '') return undefined
  let directory: string
  try {
    // A command in node_modules/.bin is a link into its package.
    directory = dirname(realpathSync(script))
  } catch {
    return undefined
  }
  for (let level = 0; level < MAX_LEVELS; level++) {
    const name = nameIn(join(directory, 'package.json'))
    if (name !== undefined) return name
    const parent = dirname(directory)
    if (parent === directory) return undefined
    directory = parent
  }
  return undefined
}

export function defaultServiceName(script: string | undefined, executable: string): string {
  return packageNameOf(script) ?? `unknown_service:${basename(executable).replace(/\.exe$/i, '')}`
}

/** Skips a package.json without a name, which only states the module type of a folder. */
function nameIn(path: string): string | undefined {
  try {
    const content: unknown = JSON.parse(readFileSync(path, 'utf8'))
    if (typeof content !== 'object' || content === null || !('name' in content)) return undefined
    return typeof content.name === 'string' && content.name !== '' ? content.name : undefined
  } catch {
    return undefined
  }
}
