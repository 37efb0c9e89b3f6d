// How profiles of worker threads reach the main thread, which has the exporter: a broadcast channel of the process, with
// payloads as OTLP bytes. Neither end keeps its thread alive.
import { BroadcastChannel, getEnvironmentData, isMainThread, setEnvironmentData } from 'node:worker_threads'
import type { Profiles } from '@hearth/profile/recording'
import { encodeOtlp, readOtlp } from '@hearth/profile/recording'

const NAME = 'hearth.agent.profiles'

export interface WorkerProfiles {
  close(): void
}

/** In a worker: whether the main thread took up receiving before the worker was started. */
export function mainThreadReceives(): boolean {
  return !isMainThread && getEnvironmentData(NAME) === true
}

/** In the main thread: `take` gets every payload that a worker hands over, until `close`. */
export function receiveFromWorkers(
  take: (profiles: Profiles) => void,
  onProblem: (problem: string) => void,
): WorkerProfiles {
  const channel = new BroadcastChannel(NAME)
  channel.onmessage = (event: unknown) => {
    try {
      const { data } = event as { readonly data: unknown }
      if (data instanceof Uint8Array) take(readOtlp(data).profiles)
    } catch (error) {
      onProblem(`profiles of a worker thread could not be read: ${String(error)}`)
    }
  }
  // Without this the channel alone would keep the process running.
  channel.unref()
  setEnvironmentData(NAME, true)
  return {
    close: () => {
      setEnvironmentData(NAME, false)
      channel.close()
    },
  }
}

let sending: BroadcastChannel | undefined

/** In a worker. Works in an 'exit' handler too: the message is delivered although the thread ends. */
export function handToMain(profiles: Profiles): void {
  if (sending === undefined) {
    sending = new BroadcastChannel(NAME)
    sending.unref()
  }
  sending.postMessage(encodeOtlp(profiles))
}
