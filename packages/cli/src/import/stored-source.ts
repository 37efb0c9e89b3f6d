// A server of another project that stores profiles, as `hearth import` reads it.

/**
 * The meaning of a profile's values. Events happened in its time, a state exists at its time, such as the live heap, and a
 * counter grows since the program started, such as Go's allocations. Only events are added up over time.
 */
export type SeriesKind = 'events' | 'state' | 'counter'

/** The profiles of one type and one set of labels. */
export interface StoredSeries {
  /** Identifies the series in the file that remembers what is done. */
  readonly key: string
  /** Pyroscope's and Parca's first part of a type, such as `process_cpu`. */
  readonly name: string
  /** The sample type, such as `cpu`. */
  readonly type: string
  readonly kind: SeriesKind
  readonly labels: Readonly<Record<string, string>>
  /** Selects exactly this series. */
  readonly selector: string
}

/** Milliseconds since 1970. `from` is not part of the range, `to` is. */
export interface Window {
  readonly from: number
  readonly to: number
}

export interface StoredSource {
  series(range: Window): Promise<readonly StoredSeries[]>
  /** The windows of the range that have profiles, in order. The range is a multiple of the step and starts at one. */
  windows(series: StoredSeries, range: Window, stepMs: number): Promise<readonly Window[]>
  /** Windows with one profile each, in order, for states and counters. The range is a multiple of a minute and starts at one. */
  snapshots(series: StoredSeries, range: Window): Promise<readonly Window[]>
  /** The merged profile of a window, as pprof. */
  profile(series: StoredSeries, window: Window): Promise<Uint8Array>
}

/** The server's response is not as expected. */
export class SourceError extends Error {
  override readonly name = 'SourceError'
}

/** The server has nothing for this request. */
export class NotFoundError extends SourceError {}

export interface SourceAddress {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
}

const TIMEOUT_MS = 120_000

/** A body is sent as JSON, or as protobuf if it is bytes. Throws SourceError with the beginning of the response if the request fails. */
export async function request(
  { url, headers }: SourceAddress,
  path: string,
  body?: object | Uint8Array,
): Promise<Uint8Array> {
  const target = url.replace(/\/+$/, '') + path
  const isBytes = body instanceof Uint8Array
  const type = isBytes ? 'application/proto' : 'application/json'
  let response: Response
  try {
    response = await fetch(target, {
      headers: { ...headers, ...(body === undefined ? {} : { 'content-type': type }) },
      signal: AbortSignal.timeout(TIMEOUT_MS),
      ...(body === undefined ? {} : { method: 'POST', body: isBytes ? new Uint8Array(body) : JSON.stringify(body) }),
    })
  } catch (error) {
    const cause = error instanceof Error ? (error.cause ?? error) : error
    throw new SourceError(`${target}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause: error })
  }
  const bytes = new Uint8Array(await response.arrayBuffer())
  if (isNotFound(response)) throw new NotFoundError(`${target}: nothing found`)
  if (!response.ok)
    throw new SourceError(`${target}: ${response.status} ${new TextDecoder().decode(bytes.subarray(0, 300))}`)
  return bytes
}

/** Parca replaces the body of a 404 by its UI, with status 200. The headers of its API stay, which no other page has. */
function isNotFound({ status, headers }: Response): boolean {
  const isPage = headers.get('content-type')?.startsWith('text/html') === true
  return status === 404 || (isPage && headers.has('grpc-metadata-content-type'))
}

export async function requestJson(address: SourceAddress, path: string, body?: object): Promise<unknown> {
  const bytes = await request(address, path, body)
  try {
    return JSON.parse(new TextDecoder().decode(bytes))
  } catch (error) {
    throw new SourceError(`${address.url}${path}: the response is not JSON`, { cause: error })
  }
}

/** A selector of these labels, such as `{region="eu"}`. */
export function selectorOf(labels: Readonly<Record<string, string>>): string {
  const matchers = Object.entries(labels).map(([name, value]) => `${name}=${JSON.stringify(value)}`)
  return `{${matchers.join(',')}}`
}

/** Adds selectors to the series of a type. They require that labels of other series are missing: otherwise `{job="a"}` would contain `{job="a",region="eu"}`. */
export function withSelectors(series: readonly Omit<StoredSeries, 'selector'>[]): StoredSeries[] {
  const names = [...new Set(series.flatMap(({ labels }) => Object.keys(labels)))].sort()
  return series.map(each => ({
    ...each,
    selector: selectorOf(Object.fromEntries(names.map(name => [name, each.labels[name] ?? '']))),
  }))
}

/** Labels in a fixed order. */
export function sortedLabels(
  pairs: readonly { readonly name: string; readonly value: string }[],
): Readonly<Record<string, string>> {
  return Object.fromEntries(pairs.map(({ name, value }) => [name, value] as const).sort(([a], [b]) => (a < b ? -1 : 1)))
}
