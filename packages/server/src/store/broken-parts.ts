// Reports parts of tables that the engine found damaged at startup and skipped. Their rows are missing from all responses.
import type { Problem } from './commit/commit-state.ts'
import type { Engine } from './engine.ts'

/** Returns one problem or none. */
export async function brokenParts(engine: Engine): Promise<readonly Problem[]> {
  // Parts that were detached by hand or are covered by others are not damaged.
  const found = await engine.select(
    "SELECT concat(table, ' (', toString(count()), ')') AS name FROM system.detached_parts " +
      "WHERE database = currentDatabase() AND startsWith(reason, 'broken') GROUP BY table ORDER BY table",
  )
  if (found.rows === 0) return []
  const names = Array.from({ length: found.rows }, (_, row) => found.column('name').text(row))
  const message =
    `the store skipped damaged parts: ${names.join(', ')}; ` +
    'they are in the detached directories of these tables, restore their rows from a backup'
  return [{ code: 'parts-broken', message, since: Date.now() }]
}
