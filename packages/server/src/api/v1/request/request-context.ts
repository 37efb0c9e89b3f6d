// The caller of an endpoint with its tenant and limits, and the parts of the server that endpoints use: queries run in a query
// thread, and other endpoints on the main thread.
import type { Readable } from 'node:stream'
import { defined } from '../../../query/defined.ts'
import type { AuditAction, AuditEntry, AuditQuery } from '../../../access/audit-log.ts'
import type { Grant } from '../../../access/gatekeeper.ts'
import type { TokenRow } from '../../../access/tokens.ts'
import type { SpanIds } from '../../../broker/captures/capture-request.ts'
import type { BrokerControl } from '../../../broker/control.ts'
import type { Deletions } from '../../../query/deletion/deletions.ts'
import type { Demo } from '../../../demo/demo.ts'
import type { Monitor } from '../../../monitor/monitor.ts'
import type { QueryContext } from '../../../query/query-context.ts'
import type { Query, QueryLimits } from '../../../query/query.ts'
import type { JobState } from '../../../scrape/scraper.ts'
import type { Saved } from '../../../saved/saved.ts'
import type { SourceFolders } from '../../../source/source-folders.ts'
import type { SymbolStore } from '../../../symbols/symbol-store.ts'
import type { CaptureFile } from '../broker/capture-file.ts'
import type { EventWatches } from '../broker/event-watches.ts'
import type { TenantLimits } from '../limits/query-gate.ts'
import { RequestError } from '../response/request-error.ts'
import type { PreparedResponse } from '../response/prepare-response.ts'
import type { StatusSource } from '../status/status-source.ts'
import type { ObservedRequest, SelectionRequest, SnapshotRequest, SpanRequest } from './parameters.ts'
import { parseTime } from './times.ts'

/** Plain data, except for the signal. */
export interface CallerContext {
  readonly tenant: string
  /** Aborts when the client disconnects. */
  readonly signal: AbortSignal
  /** The limits of one query. */
  readonly limits: QueryLimits
  readonly tenantLimits: TenantLimits
  /** Nanoseconds since 1970. */
  readonly now: bigint
  /** The value of the {parameter} in the path; empty if the path has none. */
  readonly pathParameter: string
}

/** The context of a query, in a query thread. */
export interface QueryEndpointContext extends CallerContext {
  readonly queries: QueryContext
}

/** The permissions of the caller, and the ways to get some. */
export interface SignInContext {
  /** Whether requests need no token. */
  readonly isOpen: boolean
  readonly methods: readonly ('token' | 'oidc')[]
  /** Whether the request has a token or a session. They may be invalid. */
  readonly hasCredentials: boolean
  /** Throws AccessError. */
  readonly grant: () => Grant
  /** Ends the session of a person. */
  readonly end: () => void
}

/** The sources of source code. */
export interface SourceSettings {
  /** Undefined if the server has no folders of source code. */
  readonly folders?: SourceFolders | undefined
  readonly linkTemplate?: string | undefined
}

/** The context of other endpoints, on the main thread. */
export interface RequestContext extends CallerContext {
  readonly status: StatusSource
  readonly source: SourceSettings
  /** The jobs that fetch profiles, with their targets. */
  readonly scrapedJobs: () => readonly JobState[]
  /** Views and annotations. Throws RequestError if the server keeps none. */
  readonly saved: Saved
  /** Source code that was uploaded; undefined if the server keeps no debug files. */
  readonly uploadedSources: Pick<SymbolStore, 'sourceText' | 'hasSources'> | undefined
  /** Throws RequestError if the server keeps no debug files. */
  readonly symbols: SymbolStore
  /** The body of an upload. */
  readonly content: Readable
  /** Throws RequestError if the Broker is switched off. */
  readonly broker: BrokerControl
  readonly watches: EventWatches
  /** Throws RequestError if the server watches nothing. */
  readonly monitor: Monitor
  /** Throws RequestError if the server cannot delete. */
  readonly deletions: Deletions
  /** Throws RequestError if the server offers none. */
  readonly demo: Demo
  /** The name of the token; `anyone` if the server needs none. */
  readonly caller: string
  readonly isAdmin: boolean
  readonly signIn: SignInContext
  /** Adds a token, which is valid at once. */
  readonly addToken: (row: TokenRow) => void
  readonly readAudit: (query: AuditQuery) => Promise<AuditEntry[]>
  /** Records an action of a caller that the endpoint identified itself, for no tenant. */
  readonly auditAs: (actor: string, action: AuditAction, details: Readonly<Record<string, string>>) => void
  /** Records an action of the caller in the audit log. */
  readonly audit: (action: AuditAction, details: Readonly<Record<string, string>>) => void
  /** The span of the caller, from the header traceparent. */
  readonly parentSpan: SpanIds | undefined
  /** Runs the task in one of the tenant's query slots. Query endpoints run in one already. */
  inQuerySlot<T>(task: () => Promise<T>): Promise<T>
  /** Writes the file in a query thread, compressed as the client accepts it. */
  captureFile(request: Omit<CaptureFile, 'encoding'>): Promise<PreparedResponse>
}

const HOUR = 3_600_000_000_000n
const SECOND = 1_000_000_000n
/** The number of steps of a series whose step is not given. */
const STEPS = 100n

/** Throws RequestError if parameters contradict each other, and TimeError. */
export function queryOf(
  context: Pick<CallerContext, 'tenant' | 'signal' | 'limits' | 'now'>,
  request: SelectionRequest & ObservedRequest & SpanRequest & SnapshotRequest,
): Query {
  const { tenant, signal, limits, now } = context
  const { selector, exact, threads, unlinked, traceId, spanId, subtree, snapshots, times: asTime } = request
  const to = request.to === undefined ? now : parseTime(request.to, now)
  const receivedBefore = request.receivedBefore === undefined ? undefined : parseTime(request.receivedBefore, now)
  const from = request.from === undefined ? (to > HOUR ? to - HOUR : 0n) : parseTime(request.from, now)
  if (traceId === undefined && (spanId !== undefined || subtree !== undefined)) {
    throw new RequestError(400, 'argument', 'spanId and subtree require traceId')
  }
  if (unlinked === true && (traceId !== undefined || exact === false)) {
    throw new RequestError(400, 'argument', 'unlinked requires exact=true and excludes traceId')
  }
  const span = traceId === undefined ? undefined : { traceId, ...defined({ spanId, subtree }) }
  return {
    tenant,
    from,
    to,
    signal,
    limits,
    ...defined({ receivedBefore, selector, span, exact, threads, unlinked, snapshots, asTime }),
  }
}

/** A hundredth of the range, in whole seconds. */
export function defaultStep({ from, to }: Query): bigint {
  const step = (to - from) / STEPS
  return step < SECOND ? SECOND : ((step + SECOND - 1n) / SECOND) * SECOND
}
