// Queries which requests of an earlier run it already has. The tokens of inserts prevent duplicate rows only while the
// journal knows which token it used. This check works without that knowledge.
import type { Engine, RequestKey } from '../engine.ts'
import { quoteName, requestKeySql, requestKeysText } from '../sql-text.ts'

/** Limits the length of a statement. */
const REQUESTS_A_STATEMENT = 5000

const MS_PER_DAY = 86_400_000

/** Returns the requests that have rows in the table. Inserts are atomic for a request, so that then all its rows are there. */
export async function storedRequests(
  engine: Engine,
  table: string,
  requests: readonly RequestKey[],
): Promise<readonly RequestKey[]> {
  const stored: RequestKey[] = []
  for (let from = 0; from < requests.length; from += REQUESTS_A_STATEMENT) {
    const some = requests.slice(from, from + REQUESTS_A_STATEMENT)
    const days = some.map(({ received }) => Math.floor(received / MS_PER_DAY))
    const block = await engine.select(
      "SELECT DISTINCT CAST(tenant, 'String') AS name, lower(hex(request)) AS id, toUnixTimestamp64Milli(received) AS ms " +
        `FROM ${quoteName(table)} WHERE day >= toDate(${Math.min(...days)}) AND day <= toDate(${Math.max(...days)}) ` +
        `AND ${requestKeySql} IN ${requestKeysText(some)}`,
    )
    for (let row = 0; row < block.rows; row++)
      stored.push({
        tenant: block.column('name').text(row),
        id: block.column('id').text(row),
        received: Number(block.column('ms').bigint(row)),
      })
  }
  return stored
}
