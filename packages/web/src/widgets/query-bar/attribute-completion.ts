// Suggestions for filters: the attributes of profiles, or of spans, log records and data points.
import type { AttributeValue, SignalAttributesRequest } from '@hearth/client'
import type { Query } from '../../address/query.ts'
import { selectorOf } from '../../address/query.ts'
import { itemSelector } from '../../address/signal-searches.ts'
import { absolute } from '../../address/time-range.ts'
import { client } from '../../state/session.ts'

export interface AttributeCompletion {
  /** Completions with the same key return the same suggestions. */
  readonly key: string
  keys(signal: AbortSignal): Promise<readonly { readonly key: string; readonly levels: readonly string[] }[]>
  values(key: string, prefix: string, signal: AbortSignal): Promise<readonly CompletedValue[]>
}

interface CompletedValue {
  readonly text: string
  readonly value: AttributeValue
}

const COMPLETIONS = 200

export function profileCompletion(query: Query, now: number): AttributeCompletion {
  const { from, to } = query
  const request = { selector: selectorOf(query), ...absolute({ from, to }, now), limit: COMPLETIONS }
  return {
    key: JSON.stringify(request),
    keys: async signal => (await client.peek().query('attributes', request, { signal })).attributes,
    values: async (key, prefix, signal) =>
      (await client.peek().attributeValues(key, withPrefix(request, prefix), { signal })).values,
  }
}

export function signalCompletion(
  signalName: SignalAttributesRequest['signal'],
  { service, filters, from, to }: Pick<Query, 'service' | 'filters' | 'from' | 'to'>,
  now: number,
): AttributeCompletion {
  const selector = itemSelector(filters)
  const request: SignalAttributesRequest = {
    signal: signalName,
    ...absolute({ from, to }, now),
    limit: COMPLETIONS,
    ...(service === '' ? {} : { service }),
    ...(selector === undefined ? {} : { selector }),
  }
  return {
    key: JSON.stringify(request),
    keys: async signal => (await client.peek().query('signalAttributes', request, { signal })).attributes,
    values: async (key, prefix, signal) =>
      (await client.peek().signalAttributeValues(key, withPrefix(request, prefix), { signal })).values,
  }
}

function withPrefix<Request extends object>(request: Request, prefix: string): Request & { readonly prefix?: string } {
  return prefix === '' ? request : { ...request, prefix }
}
