// Sends the profiles of a worker thread to the main thread, whose exporter sends them on.
import type { Profiles } from '@hearth/profile/recording'
import { sendToMain } from '../record/threads/worker-channel.ts'
import type { ProfilesExporter } from './exporter.ts'
import { reasonOf } from '../record/reason-of.ts'

export class WorkerExporter implements ProfilesExporter {
  /** A message that is posted in the 'exit' event still arrives. */
  readonly isSynchronous = true
  readonly #onProblem: (problem: string) => void
  #dropped = 0

  constructor(onProblem: (problem: string) => void) {
    this.#onProblem = onProblem
  }

  get dropped(): number {
    return this.#dropped
  }

  send(profiles: Profiles): void {
    try {
      sendToMain(profiles)
    } catch (error) {
      this.#dropped++
      this.#onProblem(`dropped profiles of a worker thread: ${reasonOf(error)}`)
    }
  }

  flush(): Promise<void> {
    return Promise.resolve()
  }

  shutdown(): Promise<void> {
    return Promise.resolve()
  }
}
