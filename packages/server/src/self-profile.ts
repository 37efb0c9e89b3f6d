// The server profiles itself and hands the profiles of its own agent to the receiver.
import type { Agent, ProfilesExporter } from '@hearth/agent'
import { start } from '@hearth/agent'
import type { Profiles } from '@hearth/profile'
import { DEFAULT_TENANT } from './access/access-file.ts'
import type { Log } from './observe/log.ts'
import type { Receiver } from './receive/receiver.ts'
import { columnsId } from './receive/request-id.ts'

const SERVICE = 'hearth'
/** The first profile comes early, so that users soon see something. */
const FIRST_MS = 3000
const INTERVAL_MS = 10_000
/** Maximum number of waiting profiles, one minute's worth. */
const MAX_WAITING = 6

export interface SelfProfileOptions {
  readonly receiver: Receiver
  readonly log: Log
  readonly version: string
  /** A Broker that may capture this process, as `host:port`. */
  readonly brokerEndpoint?: string | undefined
}

/** Profiles this process until the agent is stopped. */
export function profileItself({ receiver, log, version, brokerEndpoint }: SelfProfileOptions): Agent {
  const agent = start({
    serviceName: SERVICE,
    resourceAttributes: { 'service.version': version },
    exportIntervalMillis: INTERVAL_MS,
    // Nothing looks back at the server except through its store.
    ringSeconds: 0,
    ...(brokerEndpoint === undefined ? {} : { brokerEndpoint }),
    exporter: new ReceiverExporter(receiver, error =>
      log.warn({ err: error }, "cannot store the server's own profile"),
    ),
    onProblem: problem => log.warn({ problem }, 'problem while profiling the server'),
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
    if (this.#waiting.size >= MAX_WAITING) {
      this.dropped++
      return
    }
    const storing = this.#store(profiles).finally(() => this.#waiting.delete(storing))
    this.#waiting.add(storing)
  }

  async flush(timeoutMillis: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined
    const timeout = new Promise<void>(resolve => (timer = setTimeout(resolve, timeoutMillis)))
    await Promise.race([Promise.all(this.#waiting), timeout])
    clearTimeout(timer)
  }

  async shutdown(): Promise<void> {
    // Nothing to release: the receiver belongs to the server.
  }

  async #store(profiles: Profiles): Promise<void> {
    try {
      await this.#receiver.receive({
        payload: { signal: 'profiles', profiles },
        encoding: 'none',
        transport: 'in-process',
        ...columnsId(profiles),
        identity: { tenant: DEFAULT_TENANT, token: '' },
        client: '@hearth/agent',
      })
    } catch (error) {
      this.dropped++
      this.#onFailure(error)
    }
  }
}
