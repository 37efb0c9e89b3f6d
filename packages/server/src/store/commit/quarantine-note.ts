// The note in a quarantined group of the journal.

export type QuarantineKind = 'refused' | 'broken'

/** Written into a quarantined group. */
export interface QuarantineNote {
  readonly reason: string
  /** Tables whose rows are in the engine. */
  readonly applied: readonly string[]
}
