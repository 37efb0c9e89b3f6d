// The severity of a log record. OTLP has four numbers for each of six names.
import { SEVERITIES } from '../address/signal-searches.ts'

/** Returns an empty string if the severity is not set. */
export function severityName(number: number): (typeof SEVERITIES)[number] {
  return number < 1 || number > 24 ? '' : SEVERITIES[1 + Math.floor((number - 1) / 4)]
}
