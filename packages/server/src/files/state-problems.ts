// Lists state files of a data directory that are damaged or lost. See state-file.ts for their names.
import { readFile, readdir, stat } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { DAMAGED, PREVIOUS, decodeState } from './state-file.ts'

export interface StateFileProblem {
  /** Relative to the data directory. */
  readonly file: string
  readonly message: string
  /** Whether only reading the file shows it. */
  readonly inContent: boolean
}

/** Directories with state files, relative to the data directory. */
export const STATE_DIRECTORIES = ['.', 'broker', 'journal', 'monitor', 'saved', 'store'] as const

/** The directories of tenants with uploaded debug files, and those of the files. */
async function symbolDirectories(dataDirectory: string): Promise<readonly string[]> {
  const found: string[] = []
  const inside = async (folder: string): Promise<readonly string[]> => {
    const names = await readdir(join(dataDirectory, folder)).catch(() => [])
    return names.filter(name => !name.includes(DAMAGED)).map(name => join(folder, name))
  }
  for (const tenant of await inside('symbols/tenants')) found.push(tenant, ...(await inside(tenant)))
  return found
}

/** The message about a file that is missing, or that was damaged and is kept beside its place. */
export const PREVIOUS_USED = 'is missing; its previous version is used'

/** Whether a damaged version of the file is beside it that is not empty. */
async function hasContent(directory: string, names: ReadonlySet<string>, name: string): Promise<boolean> {
  for (const other of names)
    if (
      other.startsWith(name + DAMAGED) &&
      ((await stat(join(directory, other)).catch(() => undefined))?.size ?? 0) > 0
    )
      return true
  return false
}

/** With `content`, also checks the checksum of every file. */
export async function stateFileProblems(
  dataDirectory: string,
  { content }: { readonly content: boolean },
): Promise<readonly StateFileProblem[]> {
  const problems: StateFileProblem[] = []
  for (const folder of [...STATE_DIRECTORIES, ...(await symbolDirectories(dataDirectory))]) {
    const directory = join(dataDirectory, folder)
    const names = new Set(await readdir(directory).catch(() => []))
    const add = (name: string, message: string, inContent = false): void =>
      void problems.push({ file: relative(dataDirectory, join(directory, name)), message, inContent })
    // Then its previous version is not used: it may have tokens that were revoked. See access-file.ts.
    const isAccessLost =
      names.has('access.required') && !names.has('access.json') && !(await hasContent(directory, names, 'access.json'))
    if (isAccessLost) add('access.json', 'is missing; requests are rejected until a token is created')
    for (const name of [...names].sort()) {
      const at = name.indexOf(DAMAGED)
      if (at > 0) add(name, `is a damaged version of ${name.slice(0, at)}; examine it, then move it away`)
      else {
        const isPrevious = name.endsWith(PREVIOUS)
        const current = isPrevious ? name.slice(0, -PREVIOUS.length) : name
        if (isPrevious && !names.has(current) && !(isAccessLost && current === 'access.json'))
          add(current, PREVIOUS_USED)
        if (content && current.endsWith('.json')) {
          const { fault } = decodeState(await readFile(join(directory, name), 'utf8').catch(() => undefined))
          // A file may disappear meanwhile, and the journal's records do.
          if (fault !== undefined && fault !== 'is missing') add(name, fault, true)
        }
      }
    }
  }
  return problems
}
