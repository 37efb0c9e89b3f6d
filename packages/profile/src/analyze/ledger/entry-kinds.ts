// The kinds of entries of a time ledger, in the order in which bars and tables show them.

export const ENTRY_KINDS = ['children', 'own-cpu', 'others', 'runtime', 'lock', 'io', 'runnable', 'unknown'] as const
export type EntryKind = (typeof ENTRY_KINDS)[number]

export const ENTRY_TITLES: Readonly<Record<EntryKind, string>> = {
  children: 'children',
  'own-cpu': 'own CPU',
  others: 'busy with others',
  runtime: 'garbage collection and runtime',
  lock: 'lock or queue wait',
  io: 'I/O and timers',
  runnable: 'runnable but not running',
  unknown: 'unknown',
}
