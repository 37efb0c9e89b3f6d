// The Broker as a control plane: captures and triggers, and their state files in the data directory.
import { setMaxListeners } from 'node:events'
import { join } from 'node:path'
import type { AuditLog } from '../access/audit-log.ts'
import type { Log } from '../observe/log.ts'
import type { Receiver } from '../receive/receiver.ts'
import type { Store } from '../store/store.ts'
import type { Broker } from './broker.ts'
import { captureLog } from './captures/capture-record.ts'
import { Captures } from './captures/captures.ts'
import type { CaptureLimits } from './captures/capture-request.ts'
import { StateFiles } from './state-file.ts'
import type { GuardOptions } from './triggers/guards.ts'
import { historyFile } from './triggers/history.ts'
import { triggerFile } from './triggers/trigger.ts'
import type { ArmedTriggers, WatchedMatch } from './triggers/trigger-watch.ts'
import { Triggers } from './triggers/triggers.ts'

export interface ControlOptions {
  readonly broker: Broker
  readonly receiver: Receiver
  readonly store: Pick<Store, 'settled' | 'engine'>
  /** The data directory. */
  readonly data: string
  readonly log: Log
  readonly version: string
  readonly limits?: Partial<CaptureLimits>
  readonly guards?: GuardOptions
  /** Called with the enabled triggers after each change. */
  readonly onArmed?: (armed: ArmedTriggers) => void
  /** Records captures. */
  readonly audit?: AuditLog | undefined
}

export class BrokerControl {
  readonly broker: Broker
  readonly captures: Captures
  readonly triggers: Triggers
  readonly engine: Store['engine']
  /** Aborts on shutdown, so that long-polling clients are released. */
  readonly ending: AbortSignal
  readonly #end = new AbortController()
  readonly #stopListening: () => void
  #closed: Promise<void> | undefined

  constructor(options: ControlOptions) {
    const { broker, receiver, store, data, log, version, limits = {}, guards = {}, onArmed, audit } = options
    const directory = join(data, 'broker')
    this.broker = broker
    this.engine = store.engine
    this.ending = this.#end.signal
    // Every waiting client adds a listener.
    setMaxListeners(0, this.ending)
    this.captures = new Captures({
      broker,
      receiver,
      settled: () => store.settled(),
      files: new StateFiles(directory, 'captures', captureLog),
      log,
      version,
      onStarted: ({ tenant, id, request: { service, type }, record, targets }) =>
        audit?.add({
          action: 'capture-started',
          actor: record.by,
          tenant,
          details: { capture: id, service, type, instances: String(targets.length) },
        }),
      // A response must fit into one event together with its envelope.
      limits: { bytes: Math.floor(broker.limits.eventBytes * 0.95), ...limits },
    })
    this.triggers = new Triggers({
      broker,
      captures: this.captures,
      files: new StateFiles(directory, 'triggers', triggerFile),
      history: new StateFiles(directory, 'history', historyFile),
      log,
      guards,
      ...(onArmed === undefined ? {} : { onArmed }),
    })
    this.#stopListening = broker.onProfile(({ tenant, source, event }) =>
      this.captures.keepProfile(tenant, source, event),
    )
  }

  /** Passes matches in stored telemetry to the triggers. */
  fire(tenant: string, matches: readonly WatchedMatch[]): void {
    this.triggers.fire(tenant, matches)
  }

  /** Cancels captures and writes state files. */
  close(): Promise<void> {
    return (this.#closed ??= this.#close())
  }

  async #close(): Promise<void> {
    await this.captures.close()
    this.#end.abort()
    this.#stopListening()
    await this.triggers.close()
  }
}
