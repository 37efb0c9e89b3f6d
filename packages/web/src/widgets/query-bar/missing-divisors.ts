// The reason why a normalisation is not available.
import type { Divisors } from '../../address/divisor.ts'
import { divisorOf } from '../../address/divisor.ts'
import type { Normalisation } from '../../address/normalisation.ts'

/** The reason why the chosen normalisation shows totals. */
export function missingDivisors(per: Normalisation, divisors: Divisors): Partial<Record<Normalisation, string>> {
  if (divisorOf(per, { ...divisors, total: 1 }) !== undefined) return {}
  if (per === 'core') return { core: 'The data does not state host.cpu.count, so totals are shown' }
  return per === 'request' ? { request: 'No requests in this range, so totals are shown' } : {}
}
