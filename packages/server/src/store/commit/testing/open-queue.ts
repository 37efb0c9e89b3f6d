// A commit queue with a fake engine and a disk that can be stopped, on a directory that survives it: one "process" of a test.
// A stopped process stays as after kill -9: it holds no lock and does nothing.
import type { Engine } from '../../engine.ts'
import type { CommitQueue, CommitQueueOptions, CommitQueueParts } from '../commit-queue.ts'
import { openCommitQueue } from '../commit-queue.ts'
import { CrashingDisk } from './crashing-disk.ts'
import { TestWriter, tables } from './rows.ts'

export class LogLines {
  readonly lines: string[] = []
  readonly info = (details: object, message: string) => void this.lines.push(`info ${message}`)
  readonly warn = (details: object, message: string) => void this.lines.push(`warn ${message}`)
  readonly error = (details: object, message: string) => void this.lines.push(`error ${message}`)
}

export interface TestProcess {
  readonly queue: CommitQueue
  readonly disk: CrashingDisk
  readonly writer: TestWriter
  readonly log: LogLines
}

const opened: TestProcess[] = []

/** Closes the queues of a test, except stopped ones. */
export async function closeQueues(): Promise<void> {
  for (const { queue, disk } of opened.splice(0)) if (!disk.stopped) await queue.close(20)
}

export async function openQueue(
  dataDirectory: string,
  engine: Engine,
  options: Partial<CommitQueueOptions> = {},
  parts: Partial<CommitQueueParts> = {},
  disk = new CrashingDisk(),
): Promise<TestProcess> {
  const writer = new TestWriter()
  const log = new LogLines()
  const queue = await openCommitQueue(
    { dataDirectory, engine, tables, window: 5, write: writer.write, forget: writer.forget, log, ...options },
    {
      disk,
      lock: async () => ({ release: async () => {} }),
      retry: { firstMs: 1, maxMs: 4, tries: 3 },
      diskCheckMs: 5,
      ...parts,
    },
  )
  const made = { queue, disk, writer, log }
  opened.push(made)
  return made
}

/** Polls every millisecond until `condition` is true. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise(resolve => setTimeout(resolve, 1))
}
