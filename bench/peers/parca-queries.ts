// Queries of Parca's API over HTTP, with the reports that its UI requests.
import type { Query, QueryName, Range } from './backend.ts'
import { EVERYTHING, QUERY_MS, TYPE } from './backend.ts'

interface QueryResponse {
  readonly total?: string
  readonly pprof?: string
}

export function parcaQueries(url: string): Readonly<Record<QueryName, Query>> {
  const get = async (path: string, parameters: Readonly<Record<string, string>>): Promise<unknown> => {
    const response = await fetch(`${url}/api/profiles/${path}?${new URLSearchParams(parameters).toString()}`, {
      signal: AbortSignal.timeout(QUERY_MS),
    })
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
    return await response.json()
  }
  const merged = async (selector: string, range: Range, report: string): Promise<QueryResponse> => {
    const { start, end } = timesOf(range)
    return (await get('query', {
      mode: 'MODE_MERGE',
      report_type: `REPORT_TYPE_${report}`,
      'merge.query': `${TYPE}:delta${selector}`,
      'merge.start': start,
      'merge.end': end,
    })) as QueryResponse
  }
  const flameGraph = async (selector: string, range: Range): Promise<bigint> =>
    BigInt((await merged(selector, range, 'FLAMEGRAPH_ARROW')).total ?? 0)
  return {
    everything: async range => await flameGraph(EVERYTHING, range),
    service: async (range, service) => await flameGraph(`{service_name="${service}"}`, range),
    pprof: async (range, service) =>
      BigInt((await merged(`{service_name="${service}"}`, range, 'PPROF')).pprof?.length ?? 0),
    series: async (range, service) => {
      const query = `${TYPE}:delta{service_name="${service}"}`
      const { series = [] } = (await get('query_range', { query, step: '15s', ...timesOf(range) })) as {
        readonly series?: readonly { readonly samples: readonly unknown[] }[]
      }
      return BigInt(series.reduce((sum, { samples }) => sum + samples.length, 0))
    },
    'label values': async range => {
      const { labelValues = [] } = (await get('labels/service_name/values', timesOf(range))) as {
        readonly labelValues?: readonly string[]
      }
      return BigInt(labelValues.length)
    },
    'profile types': async range => {
      const { types = [] } = (await get('types', timesOf(range))) as { readonly types?: readonly unknown[] }
      return BigInt(types.length)
    },
  }
}

function timesOf({ start, end }: Range): { readonly start: string; readonly end: string } {
  return { start: new Date(start).toISOString(), end: new Date(end).toISOString() }
}
