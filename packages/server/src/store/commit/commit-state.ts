// The visible state of the commit queue: a snapshot for /readyz, events for metrics, and log lines.
import type { EngineFault } from '../engine.ts'
import type { RefusalReason } from '../keeper.ts'

/** The part of a pino logger that is used. */
export interface CommitLog {
  info(details: object, message: string): void
  warn(details: object, message: string): void
  error(details: object, message: string): void
}

export type ProblemCode =
  /** Inserts fail at the moment. Rows wait in the journal. */
  | 'engine-unavailable'
  | 'engine-disk-full'
  | 'engine-failing'
  /** Requests are rejected until the journal's backlog is smaller. */
  | 'backlog-full'
  /** Requests are rejected until earlier ones are committed. */
  | 'memory-full'
  /** The free disk space is below the reserve. Requests are rejected. */
  | 'disk-low'
  | 'journal-write-failed'
  /** Acknowledged groups that the engine rejected, in journal/refused. */
  | 'groups-refused'
  /** Groups that were damaged on disk, in journal/broken. */
  | 'groups-broken'
  /** Parts of tables that the engine found damaged and skipped. */
  | 'parts-broken'
  /** The journal of an earlier run was deleted or replaced. */
  | 'journal-lost'
  /** Recent requests are not loaded yet, so requests are rejected. */
  | 'recent-requests-unknown'
  /** Acknowledged requests of an earlier run are not visible to queries yet. */
  | 'journal-unapplied'
  | 'shutting-down'

export interface Problem {
  readonly code: ProblemCode
  readonly message: string
  /** Unix milliseconds. */
  readonly since: number
}

export interface CommitState {
  /**
   * Whether a request would be accepted now, and all requests of earlier runs are visible to queries. Short waits for memory
   * do not count.
   */
  readonly ready: boolean
  readonly problems: readonly Problem[]
  /** In the journal but not in the engine. */
  readonly backlogBytes: number
  readonly backlogGroups: number
  /** How long the oldest group of the backlog has waited, or 0. */
  readonly oldestUnappliedSeconds: number
  /** Accepted but unanswered requests with their rows. */
  readonly inFlightBytes: number
  readonly inFlightRequests: number
  /** Counts since the start. */
  readonly commits: number
  readonly kept: number
  readonly duplicates: number
  readonly refused: Readonly<Record<RefusalReason, number>>
  /** The message of the last failed insert. Empty after a successful one. */
  readonly lastEngineError: string
  readonly freeDiskBytes: number
  /** In journal/refused and journal/broken. */
  readonly quarantinedGroups: number
  readonly quarantinedBytes: number
}

/** Callbacks for counters and histograms. They must not throw. */
export interface CommitEvents {
  /** `writeSeconds` is the journal's part, `waitSeconds` the total wait of the group's first request. */
  readonly committed?: (group: {
    readonly bytes: number
    readonly requests: number
    readonly writeSeconds: number
    readonly waitSeconds: number
  }) => void
  readonly applied?: (group: {
    readonly bytes: number
    readonly rows: ReadonlyMap<string, number>
    readonly insertSeconds: number
    /** From commit to the last insert. */
    readonly lagSeconds: number
  }) => void
  readonly insertFailed?: (table: string, fault: EngineFault | 'unknown') => void
  readonly quarantine?: (kind: 'refused' | 'broken') => void
  readonly duplicate?: () => void
  readonly refused?: (reason: RefusalReason) => void
}

/** Problems that block requests or queries. The others only need attention. */
const BLOCKING: ReadonlySet<ProblemCode> = new Set<ProblemCode>([
  'backlog-full',
  'disk-low',
  'journal-write-failed',
  'recent-requests-unknown',
  'journal-unapplied',
  'shutting-down',
])

/** The current problems with the time of their start. */
export class ProblemList {
  readonly #problems = new Map<ProblemCode, Problem>()
  readonly #now: () => number

  constructor(now: () => number) {
    this.#now = now
  }

  /** Returns true if the problem is new. */
  raise(code: ProblemCode, message: string): boolean {
    const before = this.#problems.get(code)
    this.#problems.set(code, { code, message, since: before?.since ?? this.#now() })
    return before === undefined
  }

  /** Returns true if the problem existed. */
  clear(code: ProblemCode): boolean {
    return this.#problems.delete(code)
  }

  has(code: ProblemCode): boolean {
    return this.#problems.has(code)
  }

  get blocking(): boolean {
    return this.list().some(problem => BLOCKING.has(problem.code))
  }

  list(): readonly Problem[] {
    return [...this.#problems.values()]
  }
}
