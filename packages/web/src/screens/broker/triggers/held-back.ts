// Why a trigger did not capture, in words.
import type { HistoryEntry } from '@hearth/client'

const WORDS: Readonly<Record<NonNullable<HistoryEntry['heldBack']>, string>> = {
  percentage: 'left out by the percentage',
  'cool-down': 'cooling down',
  running: 'a capture was running there',
  'own-budget': 'over its budget of the hour',
  budget: 'over the budget of all triggers for the minute',
  limit: 'too many captures at once',
  'not-subscribed': 'the process is not subscribed',
  'no-instance': 'it does not say which of several instances it came from',
}

export function heldBackText(guard: NonNullable<HistoryEntry['heldBack']>): string {
  return WORDS[guard]
}
