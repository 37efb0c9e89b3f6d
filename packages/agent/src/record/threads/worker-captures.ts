// A worker's part of captures, which the main thread starts and combines.
import { threadId } from 'node:worker_threads'
import { reasonOf } from '../reason-of.ts'
import type { Recorder, ThreadCapture } from '../recorder.ts'
import { portable } from '../profiles/thread-part.ts'
import type { CaptureMessage } from './worker-channel.ts'
import { sendToMain, receiveCaptures } from './worker-channel.ts'

export class WorkerCaptures {
  readonly #recorder: Recorder
  readonly #onProblem: (problem: string) => void
  readonly #running = new Map<number, ThreadCapture>()
  readonly #close: () => void

  constructor(recorder: Recorder, onProblem: (problem: string) => void) {
    this.#recorder = recorder
    this.#onProblem = onProblem
    this.#close = receiveCaptures(message => this.#receive(message))
    sendToMain({ kind: 'started', worker: threadId, thread: recorder.thread })
  }

  /** Sends the last samples and deregisters. Must be called before the recorder stops. */
  end(): void {
    this.#close()
    this.#guard(() => {
      const part = this.#recorder.remaining()
      sendToMain({ kind: 'ended', worker: threadId, part: part && portable(part) })
    })
  }

  #receive(message: CaptureMessage): void {
    const { id } = message
    if (message.kind === 'end') {
      this.#running.get(id)?.end()
      this.#running.delete(id)
      return
    }
    // A new worker has missed the start of the capture, or receives it twice.
    let capture = this.#running.get(id)
    if (capture === undefined) this.#running.set(id, (capture = this.#recorder.begin(message.start)))
    if (message.kind === 'read') void this.#sendPart(id, capture.read(message.from, message.until))
  }

  async #sendPart(id: number, reading: ReturnType<ThreadCapture['read']>): Promise<void> {
    const part = await reading
    this.#guard(() => sendToMain({ kind: 'part', worker: threadId, id, part: part && portable(part) }))
  }

  #guard(work: () => void): void {
    try {
      work()
    } catch (error) {
      this.#onProblem(`capture of a worker thread failed: ${reasonOf(error)}`)
    }
  }
}
