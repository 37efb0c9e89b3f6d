// What a program is called whose name nobody gave: as its package is, else as its script, else as the command.
import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { basename, dirname, extname, join, resolve } from 'node:path'

/** The command line of a Node program, as `['node', 'app.js']`. */
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

/** A package.json without a name, which only tells the module type of a folder, is passed over. */
function nameIn(file: string): string | undefined {
  try {
    const { name } = JSON.parse(readFileSync(file, 'utf8')) as { readonly name?: unknown }
    return typeof name === 'string' && name !== '' ? name : undefined
  } catch {
    return undefined
  }
}
