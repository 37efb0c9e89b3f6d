// The state that all queries share: the store's engine, symbols in memory, and the temporality of each series.
import type { Engine } from '../store/engine.ts'
import { Residents } from './resident/residents.ts'
import { Temporalities } from './select/temporality.ts'

export interface QueryContext {
  readonly engine: Engine
  readonly residents: Residents
  readonly temporalities: Temporalities
}

export interface QueryContextOptions {
  /** The memory limit of stacks and their names between queries; 512 MiB unless given. */
  readonly residentBytes?: number
  /** A monotonic clock in milliseconds, for tests. */
  readonly now?: () => number
}

const DEFAULT_RESIDENT_BYTES = 512 * 2 ** 20

export function createQueryContext(engine: Engine, options: QueryContextOptions = {}): QueryContext {
  return {
    engine,
    residents: new Residents(options.residentBytes ?? DEFAULT_RESIDENT_BYTES, options.now),
    temporalities: new Temporalities(),
  }
}
