// Parts of tables that the engine found damaged when it started, and left out: what was in them is not in any answer, and
// somebody has to know.
import type { Problem } from './commit/commit-state.ts'
import type { Engine } from './engine.ts'

/** One problem, or none. */
export async function brokenParts(engine: Engine): Promise<readonly Problem[]> {
  // Detached by hand or covered by others is no damage.
  const found = await engine.select(
    "SELECT concat(table, ' (', toString(count()), ')') AS name FROM system.detached_parts " +
      "WHERE database = currentDatabase() AND startsWith(reason, 'broken') GROUP BY table ORDER BY table",
  )
  if (found.rows === 0) return []
  const names = Array.from({ length: found.rows }, (_, row) => found.column('name').text(row))
  const message =
    `the store found damaged parts and left their rows out: ${names.join(', ')}; ` +
    'they lie in the detached directories of these tables, and a backup may have them whole'
  return [{ code: 'parts-broken', message, since: Date.now() }]
}
