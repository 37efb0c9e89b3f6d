// The form fields of a trigger, and their conversion to and from the API.
import type { ChangeTriggerRequest, Trigger } from '@hearth/client'
import { durationText, parseDuration } from '../../../address/time-range.ts'

export interface TriggerDraft {
  readonly name: string
  readonly description: string
  readonly rule: string
  readonly type: string
  /** For example `10s`. */
  readonly duration: string
  /** Empty for the default. */
  readonly frequency: string
  readonly lookBack: boolean
  readonly spanOnly: boolean
  readonly coolDown: string
  readonly percentage: string
  /** Empty for no budget. */
  readonly budget: string
  readonly enabled: boolean
}

/** The defaults of the server. */
const NEW: TriggerDraft = {
  name: '',
  description: '',
  rule: '',
  type: 'cpu',
  duration: '10s',
  frequency: '',
  lookBack: true,
  spanOnly: false,
  coolDown: '1m',
  percentage: '100',
  budget: '',
  enabled: true,
}

export function triggerDraftOf(trigger: Trigger | undefined): TriggerDraft {
  if (trigger === undefined) return NEW
  const { name, description = '', rule, type, durationMs, frequencyHz, coolDownMs, percentage, ...rest } = trigger
  const { lookBack, spanOnly, enabled, budgetPerHour } = rest
  return {
    name,
    description,
    rule,
    type,
    duration: durationText(durationMs),
    frequency: frequencyHz === undefined ? '' : String(frequencyHz),
    lookBack,
    spanOnly,
    coolDown: durationText(coolDownMs),
    percentage: String(percentage),
    budget: budgetPerHour === undefined ? '' : String(budgetPerHour),
    enabled,
  }
}

/** Returns what is wrong with the fields, as far as the UI can check. */
export function faultIn(draft: TriggerDraft): string | undefined {
  const { name, rule, duration, coolDown, percentage, budget, type } = draft
  if (name === '') return 'Enter a name.'
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/.test(name))
    return 'Invalid name; use letters, digits, dots, dashes and underscores.'
  if (rule.trim() === '') return 'Enter a rule.'
  if (type.trim() === '') return 'Enter a profile type.'
  if (!((parseDuration(duration) ?? 0) > 0)) return 'Invalid duration; use for example 10s.'
  if (parseDuration(coolDown) === undefined) return 'Invalid cool-down; use for example 1m.'
  if (!(Number(percentage) > 0 && Number(percentage) <= 100))
    return 'Invalid percentage; use a number above 0 and up to 100.'
  if (budget !== '' && !/^[1-9]\d*$/.test(budget)) return 'Invalid budget; use an integer of at least 1.'
  return undefined
}

export function specOf(draft: TriggerDraft): ChangeTriggerRequest {
  const { description, rule, type, frequency, lookBack, spanOnly, percentage, enabled } = draft
  return {
    rule,
    type,
    durationMs: parseDuration(draft.duration) ?? 0,
    lookBack,
    spanOnly,
    coolDownMs: parseDuration(draft.coolDown) ?? 0,
    percentage: Number(percentage),
    enabled,
    ...(frequency === '' ? {} : { frequencyHz: Number(frequency) }),
    ...(draft.budget === '' ? {} : { budgetPerHour: Number(draft.budget) }),
    ...(description.trim() === '' ? {} : { description: description.trim() }),
  }
}
