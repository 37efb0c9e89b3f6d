// What can be seen of the commit queue from outside: a snapshot for /readyz, events for metrics, lines for the log.
import type { EngineFault } from '../engine.ts'
import type { Refusal } from '../keeper.ts'

/** What a logger must have; pino does. */
export interface CommitLog {
  info(details: object, message: string): void
  warn(details: object, message: string): void
  error(details: object, message: string): void
}

export type ProblemCode =
  /** The engine does not take rows now; they wait in the journal. */
  | 'engine-unavailable'
  | 'engine-disk-full'
  | 'engine-failing'
  /** Requests are refused until the journal's backlog is smaller. */
  | 'backlog-full'
  /** Requests are refused until those before them are committed. */
  | 'memory-full'
  /** Less free space than the reserve: requests are refused. */
  | 'disk-low'
  | 'journal-write-failed'
  /** Acknowledged groups that the engine refused, kept in journal/refused. */
  | 'groups-refused'
  /** Groups that were damaged on disk, kept in journal/broken. */
  | 'groups-broken'
  /** Parts of tables that the engine found damaged and left out. */
  | 'parts-broken'
  /** Retried requests cannot be told from new ones yet, so none are taken. */
  | 'recent-requests-unknown'
  | 'shutting-down'

export interface Problem {
  readonly code: ProblemCode
  readonly message: string
  /** Milliseconds since 1970. */
  readonly since: number
}

export interface CommitState {
  /** Whether a request would be taken now; short waits for memory do not count. */
  readonly ready: boolean
  readonly problems: readonly Problem[]
  /** In the journal and not yet in the engine. */
  readonly backlogBytes: number
  readonly backlogGroups: number
  /** How long the oldest group of the backlog has waited; 0 where there is none. */
  readonly oldestUnappliedSeconds: number
  /** Requests taken and not yet answered, with their rows. */
  readonly inFlightBytes: number
  readonly inFlightRequests: number
  /** Since the start: groups, and requests in them. */
  readonly commits: number
  readonly kept: number
  readonly duplicates: number
  readonly refused: Readonly<Record<Refusal, number>>
  /** Of the last insert that failed; empty after one that did not. */
  readonly lastEngineError: string
  readonly freeDiskBytes: number
  /** In journal/refused and journal/broken. */
  readonly asideGroups: number
  readonly asideBytes: number
}

/** Called as things happen, for counters and histograms. None may throw. */
export interface CommitEvents {
  /** `writeSeconds` is the journal's part; `waitSeconds` the whole wait of the group's first request. */
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
  readonly setAside?: (kind: 'refused' | 'broken') => void
  readonly duplicate?: () => void
  readonly refused?: (reason: Refusal) => void
}

/** Problems that stop requests from being taken; the others only need somebody's eyes. */
const BLOCKING: ReadonlySet<ProblemCode> = new Set<ProblemCode>([
  'backlog-full',
  'disk-low',
  'journal-write-failed',
  'recent-requests-unknown',
  'shutting-down',
])

/** The problems there are now, each once, with the time of its beginning. */
export class ProblemList {
  readonly #problems = new Map<ProblemCode, Problem>()
  readonly #now: () => number

  constructor(now: () => number) {
    this.#now = now
  }

  /** True when the problem was not there before. */
  raise(code: ProblemCode, message: string): boolean {
    const before = this.#problems.get(code)
    this.#problems.set(code, { code, message, since: before?.since ?? this.#now() })
    return before === undefined
  }

  /** True when the problem was there. */
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
