// A worker's part in captures, which the main thread begins and puts together.
import { threadId } from 'node:worker_threads'
import { messageOf } from '../message-of.ts'
import type { Recorder, ThreadCapture } from '../recorder.ts'
import { portable } from '../profiles/thread-part.ts'
import type { CaptureCall } from './worker-channel.ts'
import { handToMain, hearCaptures } from './worker-channel.ts'

export class WorkerCaptures {
  readonly #recorder: Recorder
  readonly #onProblem: (problem: string) => void
  readonly #running = new Map<number, ThreadCapture>()
  readonly #close: () => void

  constructor(recorder: Recorder, onProblem: (problem: string) => void) {
    this.#recorder = recorder
    this.#onProblem = onProblem
    this.#close = hearCaptures(call => this.#heard(call))
    handToMain({ word: 'here', worker: threadId, thread: recorder.thread })
  }

  /** Says good-bye, with the last that is known. Must come before the recorder stops. */
  end(): void {
    this.#close()
    this.#guard(() => {
      const part = this.#recorder.lastWords()
      handToMain({ word: 'gone', worker: threadId, part: part && portable(part) })
    })
  }

  #heard(call: CaptureCall): void {
    const { id } = call
    if (call.call === 'end') {
      this.#running.get(id)?.end()
      this.#running.delete(id)
      return
    }
    // A worker that is new has not heard of the begin, or hears of it twice.
    let capture = this.#running.get(id)
    if (capture === undefined) this.#running.set(id, (capture = this.#recorder.begin(call.start)))
    if (call.call === 'read') void this.#answer(id, capture.read(call.from, call.until))
  }

  async #answer(id: number, reading: ReturnType<ThreadCapture['read']>): Promise<void> {
    const part = await reading
    this.#guard(() => handToMain({ word: 'part', worker: threadId, id, part: part && portable(part) }))
  }

  #guard(work: () => void): void {
    try {
      work()
    } catch (error) {
      this.#onProblem(`a capture of a worker thread failed: ${messageOf(error)}`)
    }
  }
}
