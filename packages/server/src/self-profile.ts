// The server profiles itself: what its own agent records goes to the receiver like any sender's profiles, but for the socket.
import type { Agent, ProfilesExporter } from '@hearth/agent'
import { start } from '@hearth/agent'
import type { Profiles } from '@hearth/profile'
import { encodeOtlp } from '@hearth/profile/recording'
import { DEFAULT_TENANT } from './access/access-file.ts'
import type { Log } from './observe/log.ts'
import type { Receiver } from './receive/receiver.ts'

const SERVICE = 'hearth'
/** So that whoever has just started the server soon sees something. */
const FIRST_MS = 3000
const INTERVAL_MS = 10_000
/** Profiles that may wait while the store takes nothing: a minute of them. */
const MOST_WAITING = 6

export interface SelfProfileOptions {
  readonly receiver: Receiver
  readonly log: Log
  readonly version: string
}

/** Profiles this process until the agent is stopped. */
export function profileItself({ receiver, log, version }: SelfProfileOptions): Agent {
  const agent = start({
    serviceName: SERVICE,
    resourceAttributes: { 'service.version': version },
    exportIntervalMillis: INTERVAL_MS,
    // Nobody asks the server what it did a moment ago but through its store.
    ringSeconds: 0,
    exporter: new ReceiverExporter(receiver, error =>
      log.warn({ err: error }, "the server's own profile was not kept"),
    ),
    onProblem: problem => log.warn({ problem }, 'the server profiles itself'),
  })
  setTimeout(() => void agent.flush(), FIRST_MS).unref()
  return agent
}

class ReceiverExporter implements ProfilesExporter {
  readonly #receiver: Receiver
  readonly #onFailure: (error: unknown) => void
  readonly #waiting = new Set<Promise<void>>()
  dropped = 0

  constructor(receiver: Receiver, onFailure: (error: unknown) => void) {
    this.#receiver = receiver
    this.#onFailure = onFailure
  }

  send(profiles: Profiles): void {
    if (this.#waiting.size >= MOST_WAITING) {
      this.dropped++
      return
    }
    const keeping = this.#keep(profiles).finally(() => this.#waiting.delete(keeping))
    this.#waiting.add(keeping)
  }

  async flush(timeoutMillis: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined
    const timeout = new Promise<void>(resolve => (timer = setTimeout(resolve, timeoutMillis)))
    await Promise.race([Promise.all(this.#waiting), timeout])
    clearTimeout(timer)
  }

  async shutdown(): Promise<void> {
    // There is nothing to let go of: the receiver is the server's.
  }

  async #keep(profiles: Profiles): Promise<void> {
    try {
      await this.#receiver.receive({
        signal: 'profiles',
        encoding: 'protobuf',
        transport: 'in-process',
        body: encodeOtlp(profiles),
        identity: { tenant: DEFAULT_TENANT, token: '' },
        client: '@hearth/agent',
      })
    } catch (error) {
      this.dropped++
      this.#onFailure(error)
    }
  }
}
