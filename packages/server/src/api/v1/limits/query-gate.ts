// What questions of a tenant may take of the server: time, memory, rows, nodes, and turns. One gate for every way of asking,
// so that the limits hold for all of them together.
import type { QueryLimits } from '../../../query/query.ts'
import { RequestError } from '../response/failure.ts'
import { QuerySlots } from './query-slots.ts'

/** Of each question, but for the last two. */
export interface TenantLimits {
  readonly seconds: number
  readonly memoryBytes: number
  /** Rows that one answer of the engine may have: stacks, points, profiles, events. */
  readonly rows: number
  /** Nodes and rows that may be asked for. */
  readonly nodes: number
  /** Samples that are exported at once. */
  readonly exportSamples: number
  /** How many questions are answered at the same time, and how many more may wait. */
  readonly running: number
  readonly waiting: number
}

/**
 * Half a minute is longer than anyone looks at a spinner; the engine has 4 GiB at the most for everything; 5,000,000 samples
 * are some 300 MB of columns.
 */
export const DEFAULT_LIMITS: TenantLimits = {
  seconds: 30,
  memoryBytes: 2 ** 30,
  rows: 2_000_000,
  nodes: 1_000_000,
  exportSamples: 5_000_000,
  running: 8,
  waiting: 64,
}
/** Of all tenants together: more than one may have, so that there is room for a second. */
const DEFAULT_TOTAL = 12
const DEFAULT_UNREAD_BYTES = 2 ** 28
const UNREAD_RETRY_SECONDS = 10

export interface QueryGateOptions {
  readonly limits?: Partial<TenantLimits>
  /** Tenants that have others. */
  readonly tenants?: Readonly<Record<string, Partial<TenantLimits>>>
  /** How many questions are answered at the same time, of all tenants. */
  readonly total?: number
  /** Bytes of answers that a tenant's clients have not read yet, beyond which no more is answered; 256 MiB unless given. */
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

  /** As questions carry them. */
  queryLimits(tenant: string): QueryLimits {
    const { seconds, memoryBytes, rows } = this.limitsOf(tenant)
    return { maxSeconds: seconds, maxMemoryBytes: memoryBytes, maxRows: rows }
  }

  /** Questions that run, and that wait, of all tenants. */
  get state(): { readonly running: number; readonly waiting: number } {
    return this.#slots.state
  }

  /** When it is the tenant's turn. Throws RequestError where too many wait, and the signal's reason where it aborts before. */
  async run<T>(tenant: string, signal: AbortSignal, task: () => Promise<T>): Promise<T> {
    if ((this.#unread.get(tenant) ?? 0) > this.#unreadBytes) {
      throw new RequestError(429, 'too-many-questions', 'answers wait to be read', UNREAD_RETRY_SECONDS)
    }
    return await this.#slots.run(tenant, signal, task)
  }

  /** Counts an answer that is being sent, which needs no turn any more but memory; returns what ends it. */
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
