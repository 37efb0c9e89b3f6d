// Queries of Pyroscope's API as Grafana sends them: Connect with protobuf. Hearth has the same API.
import type { Query, QueryName, Range } from './backend.ts'
import { EVERYTHING, QUERY_MS, TYPE } from './backend.ts'
import {
  LABEL_VALUES,
  LABEL_VALUES_RESPONSE,
  PROFILE_TYPES,
  PROFILE_TYPES_RESPONSE,
  SELECT,
  SELECT_SERIES,
  SERIES_RESPONSE,
  STACKTRACES_RESPONSE,
} from './peer-messages.ts'

const STEP_SECONDS = 15

interface Selection {
  readonly profileTypeId: string
  readonly labelSelector: string
  readonly start: bigint
  readonly end: bigint
}

export function pyroscopeQueries(url: string): Readonly<Record<QueryName, Query>> {
  const call = async (method: string, body: Uint8Array): Promise<Uint8Array> => {
    const response = await fetch(`${url}/querier.v1.QuerierService/${method}`, {
      method: 'POST',
      headers: { 'content-type': 'application/proto' },
      body: new Uint8Array(body),
      signal: AbortSignal.timeout(QUERY_MS),
    })
    if (!response.ok) throw new Error(`${method}: ${response.status} ${await response.text()}`)
    return new Uint8Array(await response.arrayBuffer())
  }
  const flameGraph = async (selection: Selection): Promise<bigint> =>
    STACKTRACES_RESPONSE.decode(await call('SelectMergeStacktraces', SELECT.encode(selection))).flamegraph?.total ?? 0n
  return {
    everything: async range => await flameGraph(selected(EVERYTHING, range)),
    service: async (range, service) => await flameGraph(ofService(service, range)),
    pprof: async (range, service) => {
      const bytes = await call('SelectMergeProfile', SELECT.encode(ofService(service, range)))
      return BigInt(bytes.length)
    },
    series: async (range, service) => {
      const selection = { ...ofService(service, range), groupBy: [], step: STEP_SECONDS }
      const { series } = SERIES_RESPONSE.decode(await call('SelectSeries', SELECT_SERIES.encode(selection)))
      return BigInt(series.reduce((sum, { points }) => sum + points.length, 0))
    },
    'label values': async range => {
      const body = LABEL_VALUES.encode({ name: 'service_name', ...timesOf(range) })
      return BigInt(LABEL_VALUES_RESPONSE.decode(await call('LabelValues', body)).names.length)
    },
    'profile types': async range => {
      const body = PROFILE_TYPES.encode(timesOf(range))
      return BigInt(PROFILE_TYPES_RESPONSE.decode(await call('ProfileTypes', body)).types.length)
    },
  }
}

function timesOf({ start, end }: Range): { readonly start: bigint; readonly end: bigint } {
  return { start: BigInt(start), end: BigInt(end) }
}

function selected(labelSelector: string, range: Range): Selection {
  return { profileTypeId: TYPE, labelSelector, ...timesOf(range) }
}

function ofService(service: string, range: Range): Selection {
  return selected(`{service_name="${service}"}`, range)
}
