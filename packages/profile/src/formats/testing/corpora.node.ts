// Real profiles captured by the profilers of other projects. They are not part of the repository. Tests over them run if the
// environment variable HEARTH_CORPORA names the folder or if it is next to the checkout, and report it otherwise.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export interface CorpusFile {
  readonly name: string
  readonly bytes: Uint8Array
}

const root = process.env['HEARTH_CORPORA'] ?? join(import.meta.dirname, '../../../../../../shared/corpora')

/** The files directly in a folder, or undefined if the corpus is missing. */
export function corpus(folder: string): readonly CorpusFile[] | undefined {
  const path = join(root, folder)
  if (!existsSync(path)) {
    process.stderr.write(
      `SKIPPED: tests over the ${folder} corpus, because HEARTH_CORPORA does not name a folder that contains it\n`,
    )
    return undefined
  }
  return readdirSync(path, { withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(({ name }) => ({ name, bytes: new Uint8Array(readFileSync(join(path, name))) }))
}
