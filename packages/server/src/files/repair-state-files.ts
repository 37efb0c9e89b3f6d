// Puts the state files of a data directory in order, for `hearth admin repair`: damaged files move to a folder of their own, and the
// previous versions take their places. A running server may not have noticed the damage yet.
import { copyFile, mkdir, rename, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { DAMAGED, PREVIOUS, damagedName, restorePrevious } from './state-file.ts'
import { PREVIOUS_USED, stateFileProblems } from './state-problems.ts'

/** Returns the steps that were done, as sentences. */
export async function repairStateFiles(dataDirectory: string, quarantine: string): Promise<readonly string[]> {
  const repaired: string[] = []
  const withoutPrevious: string[] = []
  const found = await stateFileProblems(dataDirectory, { content: true })
  const damaged = new Set(found.filter(({ inContent }) => inContent).map(({ file }) => file))
  for (const file of damaged) {
    const isPrevious = file.endsWith(PREVIOUS)
    const other = isPrevious ? file.slice(0, -PREVIOUS.length) : file + PREVIOUS
    // Without an intact version, both stay: without its access file, a server would forget its tokens and the retention of tenants.
    if (damaged.has(other) || !(await exists(join(dataDirectory, other)))) continue
    const path = join(dataDirectory, file)
    await rename(path, damagedName(path))
    if (isPrevious) withoutPrevious.push(join(dataDirectory, other))
  }
  for (const { file, message } of await stateFileProblems(dataDirectory, { content: false })) {
    // First, because a lost access file with no damaged version beside it would close the server.
    if (message !== PREVIOUS_USED || damaged.has(file + PREVIOUS)) continue
    if (await restorePrevious(join(dataDirectory, file))) repaired.push(`${file}: restored from its previous version`)
  }
  for (const path of withoutPrevious) await keepPrevious(path)
  for (const { file } of await stateFileProblems(dataDirectory, { content: false })) {
    if (!basename(file).includes(DAMAGED)) continue
    await mkdir(quarantine, { recursive: true })
    const kept = join(quarantine, file.replaceAll('/', '-'))
    await rename(join(dataDirectory, file), kept)
    repaired.push(`${file}: moved to ${kept}`)
  }
  return repaired
}

/** A copy of the file is its previous version, as after its first write. */
async function keepPrevious(path: string): Promise<void> {
  const copy = `${path}.restored`
  await copyFile(path, copy)
  await rename(copy, path + PREVIOUS)
}

async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined)) !== undefined
}
