// Loads the values of an attribute, and the attributes that there are.
import { countRequests } from '../../api/count-requests.ts'
import type { Query } from '../../address/query.ts'
import { selectorKey, selectorOf, snapshotsOf } from '../../address/query.ts'
import { absolute, resolveTime, profileStepFor } from '../../address/time-range.ts'
import { client } from '../../state/session.ts'
import { Turns } from '../../state/take-turns.ts'
import type { Loaded } from '../../state/use-loaded.ts'
import { useLoaded } from '../../state/use-loaded.ts'
import type { Normalisation } from '../../address/normalisation.ts'
import type { Breakdown, RowRequests } from './breakdown-rows.ts'
import { breakdownOf, filterOf } from './breakdown-rows.ts'

const STEPS = 40
const MAX_KEYS = 200

/** Loads nothing while the attribute is not known. */
export function useBreakdown(query: Query, attribute: string, now: number): Loaded<Breakdown> {
  const { from, to, receivedBefore } = absolute(query, now)
  const selector = selectorOf(query)
  const key = `breakdown:${selector}:${from}:${to}:${query.snapshots}:${attribute}:${now}`
  return useLoaded(attribute === '' || query.type === '' ? undefined : key, async signal => {
    const [start, end] = [resolveTime(from, now) ?? now, resolveTime(to, now) ?? now]
    const request = {
      selector,
      ...snapshotsOf(query),
      times: true,
      from,
      to,
      receivedBefore,
      step: profileStepFor(end - start, STEPS),
      groupBy: [selectorKey(attribute)],
    }
    const response = await client.peek().query('series', request, { signal })
    return breakdownOf(response, BigInt(start) * 1_000_000n, BigInt(end) * 1_000_000n)
  })
}

/** The attributes of the selected profiles. */
export function useAttributeKeys(query: Query, now: number): readonly string[] | undefined {
  const { from, to, receivedBefore } = absolute(query, now)
  const selector = selectorOf({ ...query, stacks: [] })
  const loaded = useLoaded(`breakdown-keys:${selector}:${from}:${to}:${now}`, async signal => {
    const request = { selector, from, to, receivedBefore, limit: MAX_KEYS }
    return (await client.peek().query('attributes', request, { signal })).attributes.map(each => each.key)
  })
  return loaded.value
}

/** The largest values whose own requests are counted. */
const MAX_COUNTED = 12
const turns = new Turns(4)

/**
 * The requests of each value, such as those of a version. Undefined until they are known, for other normalisations, and for an
 * attribute that requests lack.
 */
export function useRowRequests(
  query: Query,
  attribute: string,
  breakdown: Breakdown | undefined,
  per: Normalisation,
  now: number,
): RowRequests | undefined {
  const rows = breakdown?.rows.slice(0, MAX_COUNTED) ?? []
  const isNeeded = per === 'request' && rows.length > 1
  const key = JSON.stringify([query.service, query.filters, query.from, query.to, attribute, now])
  const loaded = useLoaded(isNeeded ? `row-requests:${key}` : undefined, async signal => {
    const range = absolute({ from: query.from, to: query.to }, now)
    const counts = await Promise.all(
      rows.map(row => {
        const filters = [...query.filters, filterOf(attribute, row)]
        return turns.run(signal, () => countRequests(client.peek(), { service: query.service, filters }, range, signal))
      }),
    )
    return { key, counts: new Map(rows.map(({ text }, i) => [text, counts[i]])) }
  })
  if (!isNeeded || loaded.value?.key !== key) return undefined
  const { counts } = loaded.value
  // Requests that do not differ by the attribute lack it: each count has the requests of all values.
  return new Set(counts.values()).size > 1 ? counts : undefined
}
