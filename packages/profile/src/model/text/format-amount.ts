// Formats the cost of a function over time: busy cores, and rates of other units.
import { formatValue } from './format-value.ts'

/** `0.0123 cores`, `0.31 cores`, `1.20 MiB/s`, `5.10 k/s`, `3.20 MiB` for the live heap. */
export function formatAmount(value: number, unit: string): string {
  if (unit === 'cores') return `${Number(value.toPrecision(3))} cores`
  if (unit === '1/s') return `${formatValue(value, 'count')}/s`
  return unit.endsWith('/s') ? `${formatValue(value, unit.slice(0, -2))}/s` : formatValue(value, unit)
}
