// The default name of a program: that of its package, otherwise of its script, otherwise of the command.
import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { basename, dirname, extname, join, resolve } from 'node:path'

/** `command` is the command line of a Node program, such as `['node', 'app.js']`. */
export function programName(command: readonly string[], folder = process.cwd()): string {
  const script = command.slice(1).find(word => isScript(resolve(folder, word)))
  if (script === undefined) return basename(command[0])
  return packageName(realpathSync(resolve(folder, script))) ?? basename(script, extname(script))
}

function isScript(path: string): boolean {
  return /\.[cm]?[jt]sx?$/.test(path) && existsSync(path)
}

function packageName(script: string): string | undefined {
  for (let folder = dirname(script); ; folder = dirname(folder)) {
    const name = nameIn(join(folder, 'package.json'))
    if (name !== undefined || folder === dirname(folder)) return name
  }
}

/** Skips a package.json without a name, which only states the module type of a folder. */
function nameIn(file: string): string | undefined {
  try {
    const { name } = JSON.parse(readFileSync(file, 'utf8')) as { readonly name?: unknown }
    return typeof name === 'string' && name !== '' ? name : undefined
  } catch {
    return undefined
  }
}
