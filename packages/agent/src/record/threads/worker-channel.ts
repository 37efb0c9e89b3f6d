// How threads of a process speak with each other: by broadcast channels, which need no part in the application's own messages.
// Workers hand profiles (as columns) and what captures ask for to the main thread, which has the exporter and the
// Broker; the main thread tells all workers at once of captures. Neither end keeps its thread alive.
import { BroadcastChannel, getEnvironmentData, isMainThread, setEnvironmentData } from 'node:worker_threads'
import type { Profiles } from '@hearth/profile/recording'
import { profilesFromClone } from '@hearth/profile/recording'
import { messageOf } from '../message-of.ts'
import type { CaptureStart } from '../recorder.ts'
import type { Thread, ThreadPart } from '../profiles/thread-part.ts'

const TO_MAIN = 'hearth.agent.profiles'
const TO_WORKERS = 'hearth.agent.captures'

/** What the main thread tells workers. A capture is known by its id. */
export type CaptureCall =
  | { readonly call: 'begin'; readonly id: number; readonly start: CaptureStart }
  /** `from` and `until` are unix microseconds. */
  | {
      readonly call: 'read'
      readonly id: number
      readonly start: CaptureStart
      readonly from: number
      readonly until: number
    }
  | { readonly call: 'end'; readonly id: number }

/** What a worker says; `worker` is Node's number of it. */
export type WorkerWord =
  | { readonly word: 'here'; readonly worker: number; readonly thread: Thread }
  | { readonly word: 'part'; readonly worker: number; readonly id: number; readonly part: ThreadPart | undefined }
  /** With what it still knows, since nobody can ask it any more. */
  | { readonly word: 'gone'; readonly worker: number; readonly part: ThreadPart | undefined }

export interface FromWorkers {
  readonly onProfiles: (profiles: Profiles) => void
  readonly onWord: (word: WorkerWord) => void
  readonly onProblem: (problem: string) => void
}

/** In a worker: whether the main thread took up receiving before the worker was started. */
export function mainThreadReceives(): boolean {
  return !isMainThread && getEnvironmentData(TO_MAIN) === true
}

/** In the main thread: receives what workers hand over, until the returned function is called. */
export function receiveFromWorkers({ onProfiles, onWord, onProblem }: FromWorkers): () => void {
  const close = listen(TO_MAIN, data => {
    try {
      const message = data as Profiles | WorkerWord
      if ('word' in message) onWord(message)
      else onProfiles(profilesFromClone(message))
    } catch (error) {
      onProblem(`profiles of a worker thread could not be read: ${messageOf(error)}`)
    }
  })
  setEnvironmentData(TO_MAIN, true)
  return () => {
    setEnvironmentData(TO_MAIN, false)
    close()
  }
}

/** In a worker: hears of captures, until the returned function is called. */
export function hearCaptures(onCall: (call: CaptureCall) => void): () => void {
  return listen(TO_WORKERS, data => onCall(data as CaptureCall))
}

/** In a worker. Works in an 'exit' handler too: the message is delivered although the thread ends. */
export function handToMain(what: Profiles | WorkerWord): void {
  post(TO_MAIN, what)
}

/** In the main thread. */
export function tellWorkers(call: CaptureCall): void {
  post(TO_WORKERS, call)
}

function listen(name: string, onData: (data: unknown) => void): () => void {
  const channel = new BroadcastChannel(name)
  channel.onmessage = (event: unknown) => onData((event as { readonly data: unknown }).data)
  // Without this the channel alone would keep the process running.
  channel.unref()
  return () => channel.close()
}

/** By a channel that is gone again: an open one gets, and so decodes, whatever all others post. */
function post(name: string, message: unknown): void {
  const channel = new BroadcastChannel(name)
  channel.postMessage(message)
  channel.close()
}
