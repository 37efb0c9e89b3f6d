// Counts the requests of a service, for values per request.
import type { HearthClient } from '@hearth/client'
import { ApiError } from '@hearth/client'
import type { Query } from '../address/query.ts'
import { itemSelector } from '../address/signal-searches.ts'

const REQUEST_KINDS = ['server', 'consumer'] as const

export interface LoadedRange {
  readonly from: string
  readonly to: string
  readonly receivedBefore: string
}

/** Samples have attributes that requests lack, such as threads. A filter by one of them does not count. */
export async function countRequests(
  client: HearthClient,
  { service, filters }: Pick<Query, 'service' | 'filters'>,
  range: LoadedRange,
  signal: AbortSignal,
): Promise<number> {
  const ofItems = filters.filter(({ key }) => !key.startsWith('sample:') && !key.startsWith('profile:'))
  const counted = async (selector: string | undefined): Promise<number> => {
    const of = { ...range, ...(service === '' ? {} : { service }), ...(selector === undefined ? {} : { selector }) }
    const counts = await Promise.all(
      REQUEST_KINDS.map(async kind => {
        const { operations } = await client.query('operations', { ...of, kind }, { signal })
        return operations.reduce((sum, each) => sum + each.spans, 0)
      }),
    )
    return counts.reduce((sum, each) => sum + each, 0)
  }
  try {
    return await counted(itemSelector(ofItems))
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'unknown-attribute') throw error
    return await counted(itemSelector(ofItems.filter(({ key }) => key.startsWith('resource:'))))
  }
}
