// Knows which content-addressed rows are stored, so that each is written once a day instead of with every request.
export interface SymbolLedger {
  /** Sets the day (since 1970) of the next request. On a new day all rows count as new again. */
  startDay(day: number): void
  /**
   * Returns true if the row must be written, which is the first time that its id occurs on this day. If the group fails
   * afterwards, call `forgetAll`. Throws SymbolCollision if another content has the same id. In that case `announce` in
   * symbols/ledger.ts uses the content's next id.
   */
  isNew(tenant: string, table: string, idLo: number, idHi: number, checkLo: number, checkHi: number): boolean
  /** Changes when rows that counted as stored do not any more. */
  readonly epoch: number
  /** Marks the tenant's rows as used without naming them. */
  use(tenant: string): void
  /** Call after a failed commit. No row counts as stored any more. */
  forgetAll(): void
}
