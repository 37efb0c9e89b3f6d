// Runs the task of an indexing thread. Faults of the file become data, because they are expected.
import { CompressionError, FormatError, SymbolFileError } from '@hearth/profile'
import { indexFile } from './index-file.ts'
import type { SymbolsTask, TaskOutcome } from './indexer.ts'
import { scanFolders } from './origins/scan-folders.ts'

export function runSymbolsTask(task: SymbolsTask): TaskOutcome {
  if (task.kind === 'scan') return { kind: 'scanned', files: scanFolders(task.folders) }
  try {
    return { kind: 'indexed', indexed: indexFile(task) }
  } catch (error) {
    if (error instanceof SymbolFileError || error instanceof FormatError || error instanceof CompressionError)
      return { kind: 'broken', message: error.message }
    throw error
  }
}
