// Saves the views, the trigger and the rules of the demo with its tenant, and removes them.
import type { BrokerControl } from '../broker/control.ts'
import { TriggerError } from '../broker/triggers/trigger.ts'
import type { Monitor } from '../monitor/monitor.ts'
import { RuleError } from '../monitor/rules/rule-store.ts'
import type { Saved } from '../saved/saved.ts'
import { CAPTURED_SERVICE } from './demo-handlers.ts'
import { DEMO_ALERT, DEMO_AUTHOR, DEMO_RECORDING, DEMO_TRIGGER, DEMO_VIEWS } from './demo-views.ts'
import { ATTRIBUTES } from './shop-resource.ts'

interface Places {
  readonly saved: Pick<Saved, 'views'>
  readonly control: BrokerControl | undefined
  readonly monitor: Pick<Monitor, 'rules' | 'alerts'> | undefined
}

export async function addViews(tenant: string, { saved }: Pick<Places, 'saved'>): Promise<void> {
  const created = new Date().toISOString()
  for (const [name, address] of DEMO_VIEWS) await saved.views.add(tenant, { name, address, created, by: DEMO_AUTHOR })
}

export function addTrigger(tenant: string, { control }: Pick<Places, 'control'>): void {
  try {
    control?.triggers.add(tenant, DEMO_TRIGGER.name, DEMO_TRIGGER.spec)
  } catch (error) {
    // The tenant has as many triggers as it may have, or a trigger of this name. The demo does without.
    if (!(error instanceof TriggerError)) throw error
  }
}

export async function addRules(tenant: string, { monitor }: Pick<Places, 'monitor'>): Promise<void> {
  if (monitor === undefined) return
  const { rules } = monitor
  try {
    if (rules.get(tenant, 'alerts', DEMO_ALERT.name) === undefined) await rules.put(tenant, 'alerts', DEMO_ALERT)
    if (rules.get(tenant, 'recording', DEMO_RECORDING.name) === undefined)
      await rules.put(tenant, 'recording', DEMO_RECORDING)
  } catch (error) {
    // The tenant has as many rules as it may have. The demo does without.
    if (!(error instanceof RuleError)) throw error
  }
}

async function removeRules(tenant: string, { rules, alerts }: Pick<Monitor, 'rules' | 'alerts'>): Promise<void> {
  if (rules.get(tenant, 'recording', DEMO_RECORDING.name)?.description === DEMO_RECORDING.description)
    await rules.remove(tenant, 'recording', DEMO_RECORDING.name)
  if (rules.get(tenant, 'alerts', DEMO_ALERT.name)?.summary !== DEMO_ALERT.summary) return
  await rules.remove(tenant, 'alerts', DEMO_ALERT.name)
  await alerts.forget(tenant, DEMO_ALERT.name)
}

/** Also removes captures of the demo's processes, and the history of the trigger. */
export async function removeSaved(tenant: string, { saved, control, monitor }: Places): Promise<void> {
  if (monitor !== undefined) await removeRules(tenant, monitor)
  const names = new Set(DEMO_VIEWS.map(([name]) => name))
  for (const { id, name, by } of saved.views.list(tenant))
    if (by === DEMO_AUTHOR && names.has(name)) await saved.views.remove(tenant, id)
  if (control === undefined) return
  const { triggers, captures } = control
  if (triggers.find(tenant, DEMO_TRIGGER.name)?.description === DEMO_TRIGGER.spec.description)
    await triggers.forget(tenant, DEMO_TRIGGER.name)
  await captures.forget(tenant, ({ instances }) =>
    instances.every(
      ({ service, namespace, environment }) =>
        service === CAPTURED_SERVICE && namespace === ATTRIBUTES.namespace && environment === ATTRIBUTES.environment,
    ),
  )
}
