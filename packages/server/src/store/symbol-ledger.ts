// Which content-addressed rows are known to be stored, so that each is written once a day and not once a request.
export interface SymbolLedger {
  /** Days since 1970 of the request that follows. On a later day than before, all rows are new again. */
  startDay(day: number): void
  /**
   * Whether the row has to be written: true the first time the id is seen on this day. `table` is the table's name. A row
   * that was announced in a group which then fails is forgotten with `forgetAll`. Throws SymbolCollision when another
   * content, one with another check, has the id; `announce` in symbols/ledger.ts then takes the content's next one.
   */
  isNew(tenant: string, table: string, idLo: number, idHi: number, checkLo: number, checkHi: number): boolean
  /** After a failed commit: nothing is taken for stored any more. */
  forgetAll(): void
}
