// Opens the data of a stopped server for `hearth admin`, and runs a command in a running one.
import type { CommitLog } from '../store/commit/commit-state.ts'
import { Store } from '../store/store.ts'
import { ControlError, callServer } from './control.ts'
import type { MaintainedStore, Progress } from './verify.ts'
import { hasData } from './verify.ts'

/** The data that a command works on. */
export interface DataPlace {
  readonly dataDirectory: string
  /** A ClickHouse URL. Default: the embedded store in the directory. */
  readonly url?: string | undefined
}

const CLOSE_MS = 60_000

/** Calls `run` with the open store. The journal is in the store by then. */
export async function withStore<Result>(
  { dataDirectory, url }: DataPlace,
  log: CommitLog,
  run: (maintained: MaintainedStore & { readonly store: Store }) => Promise<Result>,
): Promise<Result> {
  const store = await Store.open({ dataDirectory, url, log })
  try {
    await store.settled()
    return await run({ store, dataDirectory })
  } finally {
    await store.close(CLOSE_MS)
  }
}

/** Runs a command in the server that has the directory open, or else on the directory itself. */
export async function runOnData<Result>(
  place: DataPlace,
  { command, argument = {}, log, progress }: { command: string; argument?: object; log: CommitLog; progress: Progress },
  offline: (maintained: MaintainedStore & { readonly store: Store }) => Promise<Result>,
): Promise<Result> {
  const response = await callServer(place.dataDirectory, command, argument, progress)
  if (response !== undefined) return response.result as Result
  if (!(await hasData(place.dataDirectory)))
    throw new ControlError(`${place.dataDirectory} has no data; --data selects another directory`)
  return withStore(place, log, offline)
}
