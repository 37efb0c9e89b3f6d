// Descriptions of the reasons why a trigger skipped a capture.
import type { HistoryEntry } from '@hearth/client'

const REASONS: Readonly<Record<NonNullable<HistoryEntry['heldBack']>, string>> = {
  percentage: 'not selected by the percentage',
  'cool-down': 'cool-down',
  running: 'another capture was running',
  'own-budget': 'hourly budget of the trigger exceeded',
  budget: 'budget of all triggers exceeded',
  limit: 'too many concurrent captures',
  'not-subscribed': 'process not connected',
  'no-instance': 'instance unknown',
}

export function skipReason(guard: NonNullable<HistoryEntry['heldBack']>): string {
  return REASONS[guard]
}
