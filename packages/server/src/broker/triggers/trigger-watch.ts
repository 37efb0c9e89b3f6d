// Matches arriving telemetry against the rules of triggers. It runs in the threads that read telemetry. For a tenant without
// triggers it costs one map lookup.
import type { Payload } from '../../store/keeper.ts'
import { CAPTURE_ID } from '../captures/capture.ts'
import { BROKER_SERVICE } from '../captures/capture-span.ts'
import type { CompiledTriggerRule } from './compile-rule.ts'
import { compileTriggerRule } from './compile-rule.ts'
import type { ItemKind, TelemetryItem } from './telemetry-item.ts'
import { attributesOf, itemsOf, valueOf } from './telemetry-item.ts'
import type { Trigger } from './trigger.ts'

/** The enabled triggers by tenant, with valid rules. */
export type ArmedTriggers = readonly (readonly [tenant: string, triggers: readonly Pick<Trigger, 'name' | 'rule'>[]])[]

/** An item that matches a rule. Plain data, because it is sent to the main thread. */
export interface WatchedMatch {
  /** The name of the trigger. */
  readonly trigger: string
  readonly item: TelemetryItem
}

interface ArmedRule {
  readonly trigger: string
  readonly rule: CompiledTriggerRule
}

const KIND_OF: Readonly<Partial<Record<Payload['signal'], ItemKind>>> = {
  traces: 'span',
  logs: 'log',
  metrics: 'metric',
}
/** Maximum number of matches per request. The cool-down would block further ones anyway. */
const MAX_MATCHES = 1000

export class TriggerWatch {
  #armed: ReadonlyMap<string, readonly ArmedRule[]> = new Map()

  /** Replaces the triggers. */
  watch(armed: ArmedTriggers): void {
    this.#armed = new Map(
      armed.map(([tenant, triggers]) => [
        tenant,
        triggers.map(({ name, rule }) => ({ trigger: name, rule: compileTriggerRule(rule) })),
      ]),
    )
  }

  /** Undefined if nothing matches. */
  observe(tenant: string, payload: Payload): readonly WatchedMatch[] | undefined {
    const armed = this.#armed.get(tenant)
    const kind = KIND_OF[payload.signal]
    if (armed === undefined || kind === undefined || !armed.some(({ rule }) => rule.kinds.has(kind))) return undefined
    const matches = matchesIn(armed, payload)
    return matches.length === 0 ? undefined : matches
  }
}

function matchesIn(armed: readonly ArmedRule[], payload: Payload): WatchedMatch[] {
  const matches: WatchedMatch[] = []
  for (const item of itemsOf(payload)) {
    for (const { trigger, rule } of armed) {
      if (!rule.kinds.has(item.kind) || !rule.matches(item) || isOfCaptures(item)) continue
      matches.push({ trigger, item: detached(item) as TelemetryItem })
      if (matches.length === MAX_MATCHES) return matches
    }
  }
  return matches
}

/** Copies bytes. The bytes of an item are views of the whole request, which would be sent with them. */
function detached(value: unknown): unknown {
  if (value instanceof Uint8Array) return new Uint8Array(value)
  if (Array.isArray(value)) return value.map(detached)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, detached(inner)]))
}

const AGENT_METRICS = 'hearth.agent.'

/** Whether the item comes from the server itself or from a capture. A trigger on those would never stop firing. */
export function isOfCaptures(item: TelemetryItem): boolean {
  const { service, attributes } = item.origin
  if (service === BROKER_SERVICE) return true
  // Metrics of an agent's own captures.
  if (item.kind === 'metric' && item.name.startsWith(AGENT_METRICS)) return true
  return valueOf(attributesOf(item), CAPTURE_ID) !== undefined || valueOf(attributes, CAPTURE_ID) !== undefined
}
