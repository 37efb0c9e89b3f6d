// Loads what values of a query can be divided by: the covered time, the CPU cores and the requests.
import { countRequests } from '../api/count-requests.ts'
import type { Divisors } from '../address/divisor.ts'
import { coveredSeconds } from '../address/divisor.ts'
import type { Normalisation } from '../address/normalisation.ts'
import type { Query } from '../address/query.ts'
import { selectorOf } from '../address/query.ts'
import { absolute, resolveTime } from '../address/time-range.ts'
import { client } from './session.ts'
import { useLoaded } from './use-loaded.ts'

/** The attribute in which senders state the number of CPU cores of their machine. */
const CORES = 'host.cpu.count'

/** Undefined until they are known for this query. A refresh keeps those before. Totals and shares need nothing. */
export function useDivisors(query: Query, per: Normalisation, now: number): Divisors | undefined {
  const isNeeded = per !== 'total' && per !== 'share' && query.type !== ''
  const { from, to, receivedBefore } = absolute(query, now)
  const selector = selectorOf({ ...query, stacks: [] })
  const selection = `${per}:${selector}:${query.from}:${query.to}`
  const loaded = useLoaded(
    isNeeded ? `divisors:${selection}:${now}` : undefined,
    async (signal): Promise<[string, Divisors]> => {
      const range = { from, to, receivedBefore }
      if (per === 'request') {
        return [selection, { requests: await countRequests(client.peek(), query, range, signal) }]
      }
      const [{ profileTypes }, cores] = await Promise.all([
        client.peek().query('profileTypes', { selector, ...range }, { signal }),
        per === 'core' ? coresOf(selector, range, signal) : 0,
      ])
      const times = profileTypes.map(each => ({ ...each, first: BigInt(each.first), last: BigInt(each.last) }))
      const seconds = coveredSeconds(times, { from: resolveTime(from, now) ?? now, to: resolveTime(to, now) ?? now })
      return [selection, { seconds, cores }]
    },
  )
  if (!isNeeded) return {}
  // The divisors of another query would give wrong values.
  return loaded.error !== undefined ? {} : loaded.value?.[0] === selection ? loaded.value[1] : undefined
}

/** The cores of all hosts that state their number; 0 if none does. */
async function coresOf(
  selector: string,
  range: { readonly from: string; readonly to: string; readonly receivedBefore: string },
  signal: AbortSignal,
): Promise<number> {
  const request = { selector, ...range, step: '1000w', groupBy: ['resource:host.name', `resource:${CORES}`] }
  const { groups } = await client.peek().query('series', { ...request, aggregation: 'count' }, { signal })
  return groups.reduce((sum, { labels }) => sum + Number(labels[1]?.intValue ?? labels[1]?.doubleValue ?? 0), 0)
}
