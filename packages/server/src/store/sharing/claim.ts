// Inserts a row only if no other server has inserted one for the same name and number. The engine remembers the token of each insert
// (in a cluster in Keeper) and ignores a second insert with it, so that of several servers exactly one succeeds.
import type { Engine } from '../engine.ts'
import { quoteName, quoteText } from '../sql-text.ts'

/** Read the table afterwards: the row there may be that of another server. `values` are SQL expressions by column. */
export async function claim(
  engine: Engine,
  table: string,
  token: string,
  values: Readonly<Record<string, string>>,
): Promise<void> {
  const columns = Object.keys(values).map(quoteName).join(', ')
  await engine.command(
    `INSERT INTO ${quoteName(table)} (${columns}) SETTINGS async_insert = 0, insert_deduplicate = 1, ` +
      `insert_deduplication_token = ${quoteText(token)} VALUES (${Object.values(values).join(', ')})`,
  )
}
