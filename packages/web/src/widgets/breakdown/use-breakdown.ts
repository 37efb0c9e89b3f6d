// Loads the values of an attribute, and the attributes that there are.
import type { Query } from '../../address/query.ts'
import { selectorKey, selectorOf, snapshotsOf } from '../../address/query.ts'
import { absolute, resolveTime, profileStepFor } from '../../address/time-range.ts'
import { client } from '../../state/session.ts'
import type { Loaded } from '../../state/use-loaded.ts'
import { useLoaded } from '../../state/use-loaded.ts'
import type { Breakdown } from './breakdown-rows.ts'
import { breakdownOf } from './breakdown-rows.ts'

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
