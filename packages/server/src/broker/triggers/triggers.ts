// The trigger engine: captures a profile of the process that sent telemetry which matches a rule. The threads that read
// telemetry find the matches, see trigger-watch.ts.
import type { KeyValue } from '@hearth/profile'
import type { Log } from '../../observe/log.ts'
import { nowNano } from '../captures/captures.ts'
import type { Captures } from '../captures/captures.ts'
import { isInstance, isOfService, isRecorder } from '../captures/pick-instances.ts'
import type { LiveComponent } from '../components/live-component.ts'
import type { StateFiles } from '../state-file.ts'
import { compileTriggerRule } from './compile-rule.ts'
import type { GuardOptions } from './guards.ts'
import { Guards } from './guards.ts'
import type { TriggerHistoryEntry, HistoryFile, Happening } from './history.ts'
import { History } from './history.ts'
import { KnownComponents } from './known-components.ts'
import type { Origin, TelemetryItem } from './telemetry-item.ts'
import { describeItem, spanOf, scalarText, timeOf, valueOf } from './telemetry-item.ts'
import type { Trigger, TriggerSpec } from './trigger.ts'
import { MAX_TRIGGERS, TriggerError, triggerOf } from './trigger.ts'
import { requestFor } from './trigger-request.ts'
import type { ArmedTriggers, WatchedMatch } from './trigger-watch.ts'

export interface TriggersOptions {
  readonly broker: {
    components(tenant: string): Promise<readonly LiveComponent[]> | readonly LiveComponent[]
  }
  readonly captures: Captures
  readonly files: StateFiles<{ triggers: Trigger[] }>
  readonly history: StateFiles<HistoryFile>
  readonly log: Log
  readonly guards?: GuardOptions
  /** Called with the enabled triggers of all tenants after each change, for the TriggerWatch of other threads. */
  readonly onArmed?: (armed: ArmedTriggers) => void
}

interface Match {
  readonly trigger: Trigger
  readonly item: TelemetryItem
}

export class Triggers {
  readonly #options: TriggersOptions
  readonly #guards: Guards
  /** By tenant, sorted by name. */
  readonly #triggers = new Map<string, readonly Trigger[]>()
  /** Enabled triggers with valid rules. */
  readonly #armed = new Map<string, readonly Trigger[]>()
  #isLoaded = false
  readonly #histories = new Map<string, History>()
  readonly #components: KnownComponents
  readonly #firing = new Set<Promise<void>>()

  constructor(options: TriggersOptions) {
    this.#options = options
    this.#guards = new Guards(options.guards)
    this.#components = new KnownComponents(tenant => options.broker.components(tenant))
    for (const tenant of options.files.tenants()) this.#load(tenant)
    this.#isLoaded = true
    this.#announce()
  }

  /** Captures that all triggers of a tenant may start per minute. */
  get budgetPerMinute(): number {
    return this.#guards.budgetPerMinute
  }

  list(tenant: string): readonly Trigger[] {
    return this.#triggers.get(tenant) ?? []
  }

  find(tenant: string, name: string): Trigger | undefined {
    return this.list(tenant).find(trigger => trigger.name === name)
  }

  /** Adds a trigger. Throws TriggerError, and RuleError for an invalid rule. */
  add(tenant: string, name: string, spec: TriggerSpec): Trigger {
    if (this.find(tenant, name) !== undefined) throw new TriggerError('conflict', `trigger ${name} already exists`)
    if (this.list(tenant).length >= MAX_TRIGGERS)
      throw new TriggerError('limit', `too many triggers (${MAX_TRIGGERS}); delete one first`)
    const added = triggerOf(name, spec, new Date())
    this.#check(added)
    this.#write(tenant, [...this.list(tenant), added])
    return added
  }

  /** Replaces a trigger. Returns undefined if there is none. Throws RuleError. */
  change(tenant: string, name: string, spec: TriggerSpec): Trigger | undefined {
    const old = this.find(tenant, name)
    if (old === undefined) return undefined
    const changed = triggerOf(name, spec, new Date(), old.created)
    this.#check(changed)
    this.#write(tenant, [...this.list(tenant).filter(trigger => trigger !== old), changed])
    this.#guards.forget(tenant, name)
    return changed
  }

  /** Returns false if there is no such trigger. Its history stays. */
  remove(tenant: string, name: string): boolean {
    const rest = this.list(tenant).filter(trigger => trigger.name !== name)
    if (rest.length === this.list(tenant).length) return false
    this.#write(tenant, rest)
    this.#guards.forget(tenant, name)
    return true
  }

  /** Removes a trigger and its history. Resolves when no match waits for its capture to start. */
  async forget(tenant: string, name: string): Promise<void> {
    this.remove(tenant, name)
    await this.idle()
    this.#historyOf(tenant).forget(name)
  }

  history(
    tenant: string,
    choice: { trigger?: string; limit: number; before?: number },
  ): readonly TriggerHistoryEntry[] {
    return this.#historyOf(tenant).list(choice)
  }

  /** Starts captures for matches that a TriggerWatch found in stored telemetry. Never throws, and returns without waiting. */
  fire(tenant: string, watched: readonly WatchedMatch[]): void {
    const armed = this.#armed.get(tenant) ?? []
    // A trigger may have been removed in the meantime.
    const matches = watched.flatMap(({ trigger: name, item }) => {
      const trigger = armed.find(each => each.name === name)
      return trigger === undefined ? [] : [{ trigger, item }]
    })
    if (matches.length > 0) this.#start(tenant, matches)
  }

  /** Resolves when all observed telemetry has been processed. Captures may still run. For tests. */
  async idle(): Promise<void> {
    while (this.#firing.size > 0) await Promise.allSettled(this.#firing)
  }

  async close(): Promise<void> {
    this.#armed.clear()
    this.#announce()
    await this.idle()
    await Promise.all([...this.#histories.values()].map(history => history.close()))
    await this.#options.history.settled()
  }

  #check({ rule, budgetPerHour = 0 }: Trigger): void {
    compileTriggerRule(rule)
    const max = 60 * this.budgetPerMinute
    if (budgetPerHour > max)
      throw new TriggerError(
        'limit',
        `budgetPerHour ${budgetPerHour} exceeds the limit of all triggers together (${max})`,
      )
  }

  #start(tenant: string, matches: readonly Match[]): void {
    const firing = this.#fire(tenant, matches)
      .catch((error: unknown) => this.#options.log.error({ err: error }, 'triggers failed'))
      .finally(() => this.#firing.delete(firing))
    this.#firing.add(firing)
  }

  async #fire(tenant: string, matches: readonly Match[]): Promise<void> {
    const components = await this.#components.including(tenant, list =>
      matches.every(({ item }) => senderOf(list, item.origin) !== 'not-subscribed'),
    )
    const history = this.#historyOf(tenant)
    for (const { trigger, item } of matches) {
      const { service, instance } = item.origin
      const now = nowNano()
      const happening = { trigger: trigger.name, service, instance, item: firedItem(item, now) }
      const live = senderOf(components, item.origin)
      if (typeof live === 'string') {
        history.heldBack(happening, live, now)
        continue
      }
      const guard = this.#guards.pass({
        tenant,
        trigger,
        instance: `${live.component.brokerId} ${live.component.name} ${live.component.id}`,
        isRunning: this.#options.captures.isRunningOn(tenant, live),
      })
      if (guard === undefined) this.#capture(tenant, trigger, item, live, happening, history)
      else history.heldBack(happening, guard, now)
    }
  }

  #capture(
    tenant: string,
    trigger: Trigger,
    item: TelemetryItem,
    live: LiveComponent,
    happening: Happening,
    history: History,
  ): void {
    const now = nowNano()
    const request = requestFor(trigger, item, live, now)
    try {
      const capture = this.#options.captures.startAt(tenant, request, `trigger ${trigger.name}`, [live])
      const entry = history.captured(happening, capture.id, request.lookBack !== undefined, now)
      void capture.ended.then(({ state, instances }) => {
        const failed = instances.find(({ error }) => error !== undefined)?.error
        history.ended(entry, {
          state,
          profileIds: instances.flatMap(({ profileIds }) => profileIds),
          ...(failed === undefined ? {} : { error: `${failed.code}: ${failed.message}` }),
        })
      })
    } catch (error) {
      if (!(error instanceof Error) || error.name !== 'CaptureError') throw error
      history.heldBack(happening, 'limit', now)
    }
  }

  #historyOf(tenant: string): History {
    let history = this.#histories.get(tenant)
    if (history === undefined) {
      const onError = (error: unknown): void =>
        this.#options.log.error({ err: error }, 'cannot read or write the history of triggers')
      history = new History(tenant, this.#options.history, onError)
      this.#histories.set(tenant, history)
    }
    return history
  }

  #load(tenant: string): void {
    try {
      this.#set(tenant, this.#options.files.read(tenant)?.triggers ?? [])
    } catch (error) {
      this.#options.log.error({ err: error }, 'cannot read the triggers of a tenant')
    }
  }

  #write(tenant: string, triggers: readonly Trigger[]): void {
    const sorted = triggers.toSorted((a, b) => (a.name < b.name ? -1 : 1))
    this.#options.files.write(tenant, { triggers: sorted })
    this.#set(tenant, sorted)
  }

  #set(tenant: string, triggers: readonly Trigger[]): void {
    this.#triggers.set(tenant, triggers)
    const armed = triggers.filter(trigger => trigger.enabled && this.#isValid(tenant, trigger))
    if (armed.length > 0) this.#armed.set(tenant, armed)
    else this.#armed.delete(tenant)
    this.#announce()
  }

  #announce(): void {
    if (this.#isLoaded) this.#options.onArmed?.([...this.#armed])
  }

  #isValid(tenant: string, trigger: Trigger): boolean {
    try {
      compileTriggerRule(trigger.rule)
      return true
    } catch (error) {
      // The file was written by another version or by hand.
      this.#options.log.error({ err: error, tenant, trigger: trigger.name }, 'invalid rule of a trigger')
      return false
    }
  }
}

/** The process that sent the item. */
function senderOf(
  components: readonly LiveComponent[],
  { service, instance, attributes }: Origin,
): LiveComponent | 'not-subscribed' | 'no-instance' {
  const ofService = components.filter(live => isRecorder(live) && isOfService(live, service))
  if (instance !== '') return ofService.find(live => isInstance(live, instance)) ?? 'not-subscribed'
  if (ofService.length < 2) return ofService[0] ?? 'not-subscribed'
  return ofService.find(live => isSameProcess(live, attributes)) ?? 'no-instance'
}

/** Attributes that identify a process when senders disagree on service.instance.id. */
const IDENTIFYING = [['k8s.pod.uid'], ['container.id'], ['host.name', 'process.pid']]

function isSameProcess(live: LiveComponent, attributes: readonly KeyValue[]): boolean {
  return IDENTIFYING.some(keys =>
    keys.every(key => {
      const own = scalarText(valueOf(attributes, key))
      return own !== undefined && own === live.attributes[key]
    }),
  )
}

function firedItem(item: TelemetryItem, now: bigint): Happening['item'] {
  const { traceId, spanId } = spanOf(item)
  const time = timeOf(item)
  return {
    kind: item.kind,
    description: describeItem(item),
    time: `${time === 0n ? now : time}`,
    ...(traceId.length === 0 ? {} : { traceId: Buffer.from(traceId).toString('hex') }),
    ...(spanId.length === 0 ? {} : { spanId: Buffer.from(spanId).toString('hex') }),
  }
}
