// The files of an address, each as it was read, or why it could not be.
import type { LocalFiles } from '../../api/local-files.ts'
import type { FileMeasure, FileSummary } from '../../worker/messages.ts'

export interface UnreadFile {
  readonly file: string
  readonly name: string
  readonly error: unknown
}

export interface ReadFiles {
  /** As they were asked for: what came last stays while the next is on its way. */
  readonly asked: readonly string[]
  readonly read: readonly FileSummary[]
  readonly unread: readonly UnreadFile[]
  /** Of files that this browser has not, or no longer. */
  readonly forgotten: readonly string[]
}

/** One that is damaged does not keep the others from being looked at. */
export async function readFiles(files: LocalFiles, asked: readonly string[], signal: AbortSignal): Promise<ReadFiles> {
  const read: FileSummary[] = []
  const unread: UnreadFile[] = []
  const forgotten: string[] = []
  for (const file of asked) {
    try {
      const summary = await files.summary(file, signal)
      if (summary === undefined) forgotten.push(file)
      else read.push(summary)
    } catch (error) {
      if (signal.aborted) throw error
      unread.push({ file, name: (await files.nameOf(file)) ?? file, error })
    }
  }
  return { asked, read, unread, forgotten }
}

/** What two files can be compared by; of one file, everything it has. */
export function sharedTypes([first, second]: readonly FileSummary[]): string[] {
  const types = first.measures.map(({ type }) => type)
  return second === undefined ? types : types.filter(type => second.measures.some(each => each.type === type))
}

/** The type that is asked for, or else the first; undefined where the file has no samples. */
export function measureIn({ measures }: FileSummary, type: string): FileMeasure | undefined {
  return measures.find(each => each.type === type) ?? measures[0]
}
