// Connects the threads of a process by broadcast channels, which do not interfere with the application's own messages. Workers
// send profiles (as columns) and captured samples to the main thread, which has the exporter and the Broker connection. The main
// thread sends captures to all workers at once. Neither end keeps its thread alive.
import { BroadcastChannel, getEnvironmentData, isMainThread, setEnvironmentData } from 'node:worker_threads'
import type { Profiles } from '@hearth/profile/recording'
import { profilesFromClone } from '@hearth/profile/recording'
import { reasonOf } from '../reason-of.ts'
import type { CaptureStart } from '../recorder.ts'
import type { Thread, ThreadPart } from '../profiles/thread-part.ts'

const TO_MAIN = 'hearth.agent.profiles'
const TO_WORKERS = 'hearth.agent.captures'

/** A message of the main thread to workers. `id` identifies the capture. */
export type CaptureMessage =
  | { readonly kind: 'begin'; readonly id: number; readonly start: CaptureStart }
  /** `from` and `until` are Unix microseconds. */
  | {
      readonly kind: 'read'
      readonly id: number
      readonly start: CaptureStart
      readonly from: number
      readonly until: number
    }
  | { readonly kind: 'end'; readonly id: number }

/** A message of a worker. `worker` is Node's thread number. */
export type WorkerMessage =
  | { readonly kind: 'started'; readonly worker: number; readonly thread: Thread }
  | { readonly kind: 'part'; readonly worker: number; readonly id: number; readonly part: ThreadPart | undefined }
  /** Contains the remaining samples, because the worker cannot be captured any more. */
  | { readonly kind: 'ended'; readonly worker: number; readonly part: ThreadPart | undefined }

export interface FromWorkers {
  readonly onProfiles: (profiles: Profiles) => void
  readonly onMessage: (message: WorkerMessage) => void
  readonly onProblem: (problem: string) => void
}

/** In a worker: true if the main thread receives, and did so before the worker started. */
export function mainThreadReceives(): boolean {
  return !isMainThread && getEnvironmentData(TO_MAIN) === true
}

/** In the main thread: receives the messages of workers, until the returned function is called. */
export function receiveFromWorkers({ onProfiles, onMessage, onProblem }: FromWorkers): () => void {
  const close = listen(TO_MAIN, data => {
    try {
      const message = data as Profiles | WorkerMessage
      if ('worker' in message) onMessage(message)
      else onProfiles(profilesFromClone(message))
    } catch (error) {
      onProblem(`cannot read the profiles of a worker thread: ${reasonOf(error)}`)
    }
  })
  setEnvironmentData(TO_MAIN, true)
  return () => {
    setEnvironmentData(TO_MAIN, false)
    close()
  }
}

/** In a worker: receives captures, until the returned function is called. */
export function receiveCaptures(onCapture: (message: CaptureMessage) => void): () => void {
  return listen(TO_WORKERS, data => onCapture(data as CaptureMessage))
}

/** In a worker. Works in an 'exit' handler too: the message is delivered although the thread ends. */
export function sendToMain(what: Profiles | WorkerMessage): void {
  post(TO_MAIN, what)
}

/** In the main thread. */
export function sendToWorkers(message: CaptureMessage): void {
  post(TO_WORKERS, message)
}

function listen(name: string, onData: (data: unknown) => void): () => void {
  const channel = new BroadcastChannel(name)
  channel.onmessage = (event: unknown) => onData((event as { readonly data: unknown }).data)
  // Without this, the channel alone would keep the process running.
  channel.unref()
  return () => channel.close()
}

/** Posts through a temporary channel: an open one would receive, and decode, every message of the others. */
function post(name: string, message: unknown): void {
  const channel = new BroadcastChannel(name)
  channel.postMessage(message)
  channel.close()
}
