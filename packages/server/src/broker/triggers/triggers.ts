// The trigger engine: looks at what arrives, and where a rule fits asks the very process it came from for a profile. It costs a
// look into a map where a tenant has no triggers.
import type { KeyValue } from '@hearth/profile'
import type { Log } from '../../observe/log.ts'
import type { Payload } from '../../store/keeper.ts'
import type { Captures } from '../captures/captures.ts'
import { BROKER_SERVICE } from '../captures/capture-span.ts'
import { isInstance, isOfService, isRecorder } from '../captures/pick-instances.ts'
import type { LiveComponent } from '../components/live-component.ts'
import type { StateFiles } from '../state-file.ts'
import type { CompiledTriggerRule } from './compile-rule.ts'
import { compileTriggerRule } from './compile-rule.ts'
import type { GuardOptions } from './guards.ts'
import { Guards } from './guards.ts'
import type { HistoryEntry, HistoryFile, Happening } from './history.ts'
import { History } from './history.ts'
import { KnownComponents } from './known-components.ts'
import type { ItemKind, Origin, TelemetryItem } from './telemetry-item.ts'
import { CAPTURE_ID, attributesOf, describeItem, itemsOf, spanOf, textOf, timeOf, valueOf } from './telemetry-item.ts'
import type { Trigger, TriggerSpec } from './trigger.ts'
import { MOST_TRIGGERS, TriggerError, triggerOf } from './trigger.ts'
import { requestFor } from './trigger-request.ts'

export interface TriggersOptions {
  readonly broker: {
    components(tenant: string): Promise<readonly LiveComponent[]> | readonly LiveComponent[]
  }
  readonly captures: Captures
  readonly files: StateFiles<{ triggers: Trigger[] }>
  readonly history: StateFiles<HistoryFile>
  readonly log: Log
  readonly guards?: GuardOptions
}

interface Armed {
  readonly trigger: Trigger
  readonly rule: CompiledTriggerRule
}

interface Fit {
  readonly trigger: Trigger
  readonly item: TelemetryItem
}

const KIND_OF: Readonly<Partial<Record<Payload['signal'], ItemKind>>> = {
  traces: 'span',
  logs: 'log',
  metrics: 'metric',
}
/** Of one request; what fits beyond it would be held back by the cool-down anyway. */
const MOST_FITS = 1000

export class Triggers {
  readonly #options: TriggersOptions
  readonly #guards: Guards
  /** Of each tenant that has any, in the order of their names. */
  readonly #triggers = new Map<string, readonly Trigger[]>()
  /** Those that are enabled and whose rules can be understood. */
  readonly #armed = new Map<string, readonly Armed[]>()
  readonly #histories = new Map<string, History>()
  readonly #components: KnownComponents
  readonly #going = new Set<Promise<void>>()

  constructor(options: TriggersOptions) {
    this.#options = options
    this.#guards = new Guards(options.guards)
    this.#components = new KnownComponents(tenant => options.broker.components(tenant))
    for (const tenant of options.files.tenants()) this.#load(tenant)
  }

  /** Captures that the triggers of a tenant may start in a minute, all together. */
  get budgetPerMinute(): number {
    return this.#guards.budgetPerMinute
  }

  list(tenant: string): readonly Trigger[] {
    return this.#triggers.get(tenant) ?? []
  }

  find(tenant: string, name: string): Trigger | undefined {
    return this.list(tenant).find(trigger => trigger.name === name)
  }

  /** A new one. Throws TriggerError, and RuleError for what is no rule. */
  add(tenant: string, name: string, spec: TriggerSpec): Trigger {
    if (this.find(tenant, name) !== undefined) throw new TriggerError('conflict', `there is a trigger ${name} already`)
    if (this.list(tenant).length >= MOST_TRIGGERS)
      throw new TriggerError('limit', `there are ${MOST_TRIGGERS} triggers, and no more may be`)
    const added = triggerOf(name, spec, new Date())
    this.#check(added)
    this.#write(tenant, [...this.list(tenant), added])
    return added
  }

  /** As a whole. Undefined where there is none. Throws RuleError. */
  change(tenant: string, name: string, spec: TriggerSpec): Trigger | undefined {
    const old = this.find(tenant, name)
    if (old === undefined) return undefined
    const changed = triggerOf(name, spec, new Date(), old.created)
    this.#check(changed)
    this.#write(tenant, [...this.list(tenant).filter(trigger => trigger !== old), changed])
    this.#guards.forget(tenant, name)
    return changed
  }

  /** False where there is none. Its history stays. */
  remove(tenant: string, name: string): boolean {
    const rest = this.list(tenant).filter(trigger => trigger.name !== name)
    if (rest.length === this.list(tenant).length) return false
    this.#write(tenant, rest)
    this.#guards.forget(tenant, name)
    return true
  }

  history(tenant: string, choice: { trigger?: string; limit: number; before?: number }): readonly HistoryEntry[] {
    return this.#historyOf(tenant).list(choice)
  }

  /** What has just been stored. Never throws, and waits for nothing. */
  observe(tenant: string, payload: Payload): void {
    const armed = this.#armed.get(tenant)
    if (armed === undefined) return
    const kind = KIND_OF[payload.signal]
    if (kind === undefined || !armed.some(({ rule }) => rule.kinds.has(kind))) return
    try {
      const fits = fitsIn(armed, payload)
      if (fits.length > 0) this.#go(tenant, fits)
    } catch (error) {
      this.#options.log.error({ err: error }, 'triggers failed')
    }
  }

  /** When what was observed has led to what it leads to; captures may still go on. For tests. */
  async idle(): Promise<void> {
    while (this.#going.size > 0) await Promise.allSettled(this.#going)
  }

  async close(): Promise<void> {
    this.#armed.clear()
    await this.idle()
    await Promise.all([...this.#histories.values()].map(history => history.close()))
    await this.#options.history.settled()
  }

  #check({ rule, budgetPerHour = 0 }: Trigger): void {
    compileTriggerRule(rule)
    const most = 60 * this.budgetPerMinute
    if (budgetPerHour > most)
      throw new TriggerError(
        'limit',
        `a budget of ${budgetPerHour} an hour is more than all triggers may use together: ${most}`,
      )
  }

  #go(tenant: string, fits: readonly Fit[]): void {
    const going = this.#fire(tenant, fits)
      .catch((error: unknown) => this.#options.log.error({ err: error }, 'triggers failed'))
      .finally(() => this.#going.delete(going))
    this.#going.add(going)
  }

  async #fire(tenant: string, fits: readonly Fit[]): Promise<void> {
    const components = await this.#components.including(tenant, list =>
      fits.every(({ item }) => exactly(list, item.origin) !== 'not-subscribed'),
    )
    const history = this.#historyOf(tenant)
    for (const { trigger, item } of fits) {
      const { service, instance } = item.origin
      const now = nowNano()
      const happening = { trigger: trigger.name, service, instance, item: firedItem(item, now) }
      const live = exactly(components, item.origin)
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
        this.#options.log.error({ err: error }, 'the history of triggers cannot be kept')
      history = new History(tenant, this.#options.history, onError)
      this.#histories.set(tenant, history)
    }
    return history
  }

  #load(tenant: string): void {
    try {
      this.#set(tenant, this.#options.files.read(tenant)?.triggers ?? [])
    } catch (error) {
      this.#options.log.error({ err: error }, 'the triggers of a tenant cannot be read')
    }
  }

  #write(tenant: string, triggers: readonly Trigger[]): void {
    const sorted = triggers.toSorted((a, b) => (a.name < b.name ? -1 : 1))
    this.#options.files.write(tenant, { triggers: sorted })
    this.#set(tenant, sorted)
  }

  #set(tenant: string, triggers: readonly Trigger[]): void {
    this.#triggers.set(tenant, triggers)
    const armed = triggers.filter(({ enabled }) => enabled).flatMap(trigger => this.#arm(tenant, trigger))
    if (armed.length > 0) this.#armed.set(tenant, armed)
    else this.#armed.delete(tenant)
  }

  #arm(tenant: string, trigger: Trigger): readonly Armed[] {
    try {
      return [{ trigger, rule: compileTriggerRule(trigger.rule) }]
    } catch (error) {
      // Written by another version, or by hand.
      this.#options.log.error({ err: error, tenant, trigger: trigger.name }, 'the rule of a trigger is none')
      return []
    }
  }
}

function fitsIn(armed: readonly Armed[], payload: Payload): Fit[] {
  const fits: Fit[] = []
  for (const item of itemsOf(payload)) {
    for (const { trigger, rule } of armed) {
      if (!rule.kinds.has(item.kind) || !rule.matches(item) || isOfCaptures(item)) continue
      fits.push({ trigger, item })
      if (fits.length === MOST_FITS) return fits
    }
  }
  return fits
}

const AGENT_METRICS = 'hearth.agent.'

/** Of the server itself, or made by a capture: a trigger that fired on it would go on for ever. */
export function isOfCaptures(item: TelemetryItem): boolean {
  const { service, attributes } = item.origin
  if (service === BROKER_SERVICE) return true
  // What agents count of their own captures.
  if (item.kind === 'metric' && item.name.startsWith(AGENT_METRICS)) return true
  return valueOf(attributesOf(item), CAPTURE_ID) !== undefined || valueOf(attributes, CAPTURE_ID) !== undefined
}

/** The process that the item came from. */
function exactly(
  components: readonly LiveComponent[],
  { service, instance, attributes }: Origin,
): LiveComponent | 'not-subscribed' | 'no-instance' {
  const ofService = components.filter(live => isRecorder(live) && isOfService(live, service))
  if (instance !== '') return ofService.find(live => isInstance(live, instance)) ?? 'not-subscribed'
  if (ofService.length < 2) return ofService[0] ?? 'not-subscribed'
  return ofService.find(live => isSameProcess(live, attributes)) ?? 'no-instance'
}

/** What tells processes apart where senders have not agreed on a service.instance.id. */
const IDENTIFYING = [['k8s.pod.uid'], ['container.id'], ['host.name', 'process.pid']]

function isSameProcess(live: LiveComponent, attributes: readonly KeyValue[]): boolean {
  return IDENTIFYING.some(keys =>
    keys.every(key => {
      const own = textOf(valueOf(attributes, key))
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

function nowNano(): bigint {
  return BigInt(Date.now()) * 1_000_000n
}
