// The tables of the OpenTelemetry Collector's ClickHouse exporter: where they are, and what they are called.
//   clickhouse://user:password@host:8123/otel?traces=otel_traces&logs=otel_logs&metrics=otel_metrics&tenant=default
import type { ClickHouseAddress } from '../engines/clickhouse-url.ts'
import { parseClickHouseUrl } from '../engines/clickhouse-url.ts'

export const METRIC_KINDS = ['gauge', 'sum', 'histogram', 'exponential_histogram', 'summary'] as const
export type MetricKind = (typeof METRIC_KINDS)[number]

export interface ExporterAddress {
  readonly database: string
  readonly traces: string
  readonly logs: string
  readonly metrics: Readonly<Record<MetricKind, string>>
  /** The tenant that sees the data, which has none of its own. */
  readonly tenant: string
}

const TABLE_NAME = /^[A-Za-z_][\w.-]*$/
const OWN_PARTS = ['traces', 'logs', 'metrics', ...METRIC_KINDS, 'tenant'] as const

export class ExporterAddressError extends Error {
  override readonly name = 'ExporterAddressError'
}

/** Returns the tables, and the URL without the parts that name them. Its messages contain no password. */
export function parseExporterUrl(text: string): { readonly tables: ExporterAddress; readonly url: string } {
  const { rest, named } = split(text)
  const { database } = parseClickHouseUrl(rest)
  const nameOf = (part: (typeof OWN_PARTS)[number], otherwise: string): string => {
    const name = named.get(part) ?? otherwise
    if (!TABLE_NAME.test(name))
      throw new ExporterAddressError(
        `${part}: ${JSON.stringify(name)} is not a valid name; use letters, digits, _ and -`,
      )
    return name
  }
  const prefix = nameOf('metrics', 'otel_metrics')
  return {
    url: rest,
    tables: {
      database,
      traces: nameOf('traces', 'otel_traces'),
      logs: nameOf('logs', 'otel_logs'),
      metrics: Object.fromEntries(
        METRIC_KINDS.map(kind => [kind, nameOf(kind, `${prefix}_${kind}`)]),
      ) as ExporterAddress['metrics'],
      tenant: nameOf('tenant', 'default'),
    },
  }
}

/**
 * The URL of the store. Queries join Hearth's tables with those of the exporter, so both must be in one ClickHouse. Throws
 * ExporterAddressError.
 */
export function storeOfExporter(exporter: string, store: string | undefined): string {
  const { url } = parseExporterUrl(exporter)
  if (store === undefined) return url
  const [own, other]: ClickHouseAddress[] = [parseClickHouseUrl(store), parseClickHouseUrl(url)]
  if (own.origin !== other.origin)
    throw new ExporterAddressError(
      `signals-from is at ${other.origin}, and the store at ${own.origin}; both must be in the same ClickHouse`,
    )
  return store
}

function split(text: string): { readonly rest: string; readonly named: ReadonlyMap<string, string> } {
  const at = text.indexOf('?')
  if (at < 0) return { rest: text, named: new Map() }
  const parts = new URLSearchParams(text.slice(at + 1))
  const named = new Map<string, string>()
  for (const part of OWN_PARTS) {
    const value = parts.get(part)
    if (value !== null) named.set(part, value)
    parts.delete(part)
  }
  return { rest: parts.size === 0 ? text.slice(0, at) : `${text.slice(0, at)}?${parts.toString()}`, named }
}
