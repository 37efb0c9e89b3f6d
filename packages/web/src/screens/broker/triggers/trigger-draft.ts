// A trigger as it is typed, and as it is sent.
import type { ChangeTriggerRequest, Trigger } from '@hearth/client'
import { durationText, parseDuration } from '../../../address/time-range.ts'

export interface TriggerDraft {
  readonly name: string
  readonly description: string
  readonly rule: string
  readonly type: string
  /** As `10s`. */
  readonly duration: string
  /** Empty for what is usual. */
  readonly frequency: string
  readonly lookBack: boolean
  readonly spanOnly: boolean
  readonly coolDown: string
  readonly percentage: string
  /** Empty for none of its own. */
  readonly budget: string
  readonly enabled: boolean
}

/** As the server has it where nothing is said. */
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

export function draftOf(trigger: Trigger | undefined): TriggerDraft {
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

/** What is wrong with it, as far as can be told without the server. */
export function faultIn(draft: TriggerDraft): string | undefined {
  const { name, rule, duration, coolDown, percentage, budget, type } = draft
  if (name === '') return 'The name is missing.'
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/.test(name))
    return 'The name has letters, digits, dots, dashes and underscores.'
  if (rule.trim() === '') return 'The rule is missing.'
  if (type.trim() === '') return 'It is not said what to capture.'
  if (!((parseDuration(duration) ?? 0) > 0)) return '“For” is no length of time.'
  if (parseDuration(coolDown) === undefined) return 'The cool-down is no length of time.'
  if (!(Number(percentage) > 0 && Number(percentage) <= 100))
    return 'The percentage is more than 0 and at the most 100.'
  if (budget !== '' && !/^[1-9]\d*$/.test(budget)) return 'The budget is a whole number from 1.'
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
