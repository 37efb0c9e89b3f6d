// Reads the files that a URL names.
import type { LocalFiles } from '../../api/local-files.ts'
import type { FileMeasure, FileSummary } from '../../worker/messages.ts'

export interface UnreadFile {
  readonly file: string
  readonly name: string
  readonly error: unknown
}

export interface ReadFiles {
  /** The ids that were requested. They show whether this result belongs to the current URL. */
  readonly ids: readonly string[]
  readonly read: readonly FileSummary[]
  readonly unread: readonly UnreadFile[]
  /** Ids of files that this browser does not keep. */
  readonly missing: readonly string[]
}

/** Reads each file. A damaged file does not prevent the others from being read. */
export async function readFiles(files: LocalFiles, ids: readonly string[], signal: AbortSignal): Promise<ReadFiles> {
  const read: FileSummary[] = []
  const unread: UnreadFile[] = []
  const missing: string[] = []
  for (const file of ids) {
    try {
      const summary = await files.summary(file, signal)
      if (summary === undefined) missing.push(file)
      else read.push(summary)
    } catch (error) {
      if (signal.aborted) throw error
      unread.push({ file, name: (await files.nameOf(file)) ?? file, error })
    }
  }
  return { ids, read, unread, missing }
}

/** Returns the types that both files have, or all types of a single file. */
export function sharedTypes([first, second]: readonly FileSummary[]): string[] {
  const types = first.measures.map(({ type }) => type)
  return second === undefined ? types : types.filter(type => second.measures.some(each => each.type === type))
}

/** Returns the measure of the type, or else the first one. Returns undefined if the file has no samples. */
export function measureIn({ measures }: FileSummary, type: string): FileMeasure | undefined {
  return measures.find(each => each.type === type) ?? measures[0]
}
