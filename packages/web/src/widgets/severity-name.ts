// How grave a log record is: OTLP has four numbers for each of six names.
import { SEVERITIES } from '../address/signal-searches.ts'

/** Empty where it does not say. */
export function severityName(number: number): (typeof SEVERITIES)[number] {
  return number < 1 || number > 24 ? '' : SEVERITIES[1 + Math.floor((number - 1) / 4)]
}
