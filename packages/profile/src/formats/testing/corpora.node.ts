// Real profiles that other projects' profilers captured. They are no part of the repository: tests over them run where the
// environment variable HEARTH_CORPORA names the folder, or where it stands beside the checkout, and say so where they don't.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export interface CorpusFile {
  readonly name: string
  readonly bytes: Uint8Array
}

const root = process.env['HEARTH_CORPORA'] ?? join(import.meta.dirname, '../../../../../../shared/corpora')

/** The files of one folder, without those in folders below; undefined where there are none to test with. */
export function corpus(folder: string): readonly CorpusFile[] | undefined {
  const path = join(root, folder)
  if (!existsSync(path)) {
    process.stderr.write(
      `SKIPPED: tests over the ${folder} corpus; HEARTH_CORPORA does not name a folder that has it\n`,
    )
    return undefined
  }
  return readdirSync(path, { withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(({ name }) => ({ name, bytes: new Uint8Array(readFileSync(join(path, name))) }))
}
