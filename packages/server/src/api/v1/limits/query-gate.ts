// The limits of a tenant's queries: time, memory, rows, nodes and concurrency. One gate serves all APIs, so that their
// queries count together.
import type { QueryLimits } from '../../../query/query.ts'
import { RequestError } from '../response/request-error.ts'
import { QuerySlots } from './query-slots.ts'

/** Limits of each query, except for the last two. */
export interface TenantLimits {
  readonly seconds: number
  readonly memoryBytes: number
  /** Rows in one result of the engine: stacks, points, profiles, events. */
  readonly rows: number
  /** Nodes and rows in a response. */
  readonly nodes: number
  /** Samples in one export. */
  readonly exportSamples: number
  /** Number of concurrent queries, and of queries that may wait. */
  readonly running: number
  readonly waiting: number
}

/**
 * Half a minute is longer than users wait. The engine has at most 4 GiB in total. 5,000,000 samples are about 300 MB of
 * columns.
 */
const DEFAULT_LIMITS: TenantLimits = {
  seconds: 30,
  memoryBytes: 2 ** 30,
  rows: 2_000_000,
  nodes: 1_000_000,
  exportSamples: 5_000_000,
  running: 8,
  waiting: 64,
}
/** Over all tenants. Larger than the limit of one tenant, so that a second one finds a slot. */
const DEFAULT_TOTAL = 12
const DEFAULT_UNREAD_BYTES = 2 ** 28
const UNREAD_RETRY_SECONDS = 10

export interface QueryGateOptions {
  readonly limits?: Partial<TenantLimits>
  /** Limits of single tenants. */
  readonly tenants?: Readonly<Record<string, Partial<TenantLimits>>>
  /** Number of concurrent queries of all tenants. */
  readonly total?: number
  /** Limit of response bytes that a tenant's clients have not read. Above it, its queries are rejected. Default: 256 MiB. */
  readonly unreadBytes?: number
}

export class QueryGate {
  readonly #limits: TenantLimits
  readonly #tenants: ReadonlyMap<string, TenantLimits>
  readonly #slots: QuerySlots
  readonly #unreadBytes: number
  readonly #unread = new Map<string, number>()

  constructor(options: QueryGateOptions = {}) {
    const { limits = {}, tenants = {}, total = DEFAULT_TOTAL } = options
    this.#unreadBytes = options.unreadBytes ?? DEFAULT_UNREAD_BYTES
    const common = { ...DEFAULT_LIMITS, ...limits }
    this.#limits = common
    this.#tenants = new Map(Object.entries(tenants).map(([name, own]) => [name, { ...common, ...own }]))
    this.#slots = new QuerySlots(total, tenant => this.limitsOf(tenant))
  }

  limitsOf(tenant: string): TenantLimits {
    return this.#tenants.get(tenant) ?? this.#limits
  }

  /** The limits in the form that queries use. */
  queryLimits(tenant: string): QueryLimits {
    const { seconds, memoryBytes, rows } = this.limitsOf(tenant)
    return { maxSeconds: seconds, maxMemoryBytes: memoryBytes, maxRows: rows }
  }

  /** Running and waiting queries of all tenants. */
  get state(): { readonly running: number; readonly waiting: number } {
    return this.#slots.state
  }

  /** Resolves when a slot is free. Throws RequestError if too many queries wait, or the signal's reason if it aborts first. */
  async run<T>(tenant: string, signal: AbortSignal, task: () => Promise<T>): Promise<T> {
    if ((this.#unread.get(tenant) ?? 0) > this.#unreadBytes) {
      throw new RequestError(429, 'too-many-queries', 'too many response bytes are unread', UNREAD_RETRY_SECONDS)
    }
    return await this.#slots.run(tenant, signal, task)
  }

  /**
   * Counts the bytes of a response that is being sent, which needs memory but no slot. Call the returned function at its end.
   */
  sending(tenant: string, bytes: number): () => void {
    const add = (more: number) => {
      const unread = (this.#unread.get(tenant) ?? 0) + more
      if (unread > 0) this.#unread.set(tenant, unread)
      else this.#unread.delete(tenant)
    }
    add(bytes)
    return () => add(-bytes)
  }
}

/** The requested number of nodes or rows, or the default within the tenant's limit. Throws RequestError above the limit. */
export function checkedNodes(
  name: string,
  requested: number | undefined,
  unlessGiven: number,
  { nodes }: TenantLimits,
): number {
  if (requested === undefined) return Math.min(unlessGiven, nodes)
  if (requested > nodes) throw new RequestError(400, 'argument', `${name}: ${requested} exceeds the limit of ${nodes}`)
  return requested
}
