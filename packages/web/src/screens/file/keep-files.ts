// Stores opened files in this browser, so that an address can name them.
import { isSymbolFile } from '@hearth/profile'
import { localFiles } from '../../state/session.ts'

/** The number of files that the browser keeps. */
export const MAX_FILES = 20

/** The longest of the first bytes by which debug files are recognised. */
const HEAD_BYTES = 64

interface KeptFiles {
  /** Profiles. */
  readonly ids: readonly string[]
  /** Debug files. */
  readonly symbols: readonly string[]
}

/** Returns the ids of the files. */
export async function keepFiles(files: readonly File[]): Promise<KeptFiles> {
  const kept = { ids: [] as string[], symbols: [] as string[] }
  for (const file of files.slice(0, MAX_FILES)) {
    const head = new Uint8Array(await file.slice(0, HEAD_BYTES).arrayBuffer())
    const id = await localFiles.add(file.name, file)
    const list = isSymbolFile(file.name, head) ? kept.symbols : kept.ids
    list.push(id)
  }
  return kept
}
