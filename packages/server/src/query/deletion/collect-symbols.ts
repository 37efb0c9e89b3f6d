// Deletes the symbols of a tenant that no row refers to: attributes, names and resources are data too. Must run while no rows are
// inserted, after every symbol is announced again.
import { quoteText } from '../../store/sql-text.ts'

interface Containers {
  /** The resources and scopes of deleted items. Others may belong to requests without items. */
  readonly resources: ReadonlySet<bigint>
  readonly scopes: ReadonlySet<bigint>
}

const ITEM_TABLES = ['profiles', 'spans', 'logs', 'metric_points']

/**
 * `before` is a day since 1970: only symbols that were last announced earlier are deleted, because other servers may refer to
 * later ones. Undefined for a store that belongs to this server alone.
 */
export async function collectSymbols(
  tenant: string,
  { resources, scopes }: Containers,
  before: number | undefined,
  remove: (table: string, where: string) => Promise<void>,
): Promise<void> {
  const own = `tenant = ${quoteText(tenant)}`
  const old = before === undefined ? '' : ` AND last_seen < toDate(${before})`
  const ids = (table: string, ...columns: readonly string[]): string[] =>
    columns.map(column => `SELECT ${column} FROM ${table} WHERE ${own}`)
  const unreferenced = (...references: readonly (readonly string[])[]): string =>
    `${own}${old} AND id NOT IN (${references.flat().join(' UNION ALL ')})`
  // Referring symbols first: a symbol may be referred to only by symbols that go.
  await remove('series', unreferenced(ids('profiles', 'series')))
  await remove('stacks', unreferenced(ids('profiles', 'arrayJoin(sample_stacks)')))
  await remove('locations', unreferenced(ids('stacks', 'arrayJoin(locations)')))
  await remove('functions', unreferenced(ids('locations', 'arrayJoin(line_functions)')))
  await remove('mappings', unreferenced(ids('locations', 'mapping')))
  await remove(
    'attribute_sets',
    unreferenced(
      ids('profiles', 'arrayJoin(sample_attributes)', 'attributes'),
      ids('locations', 'attributes'),
      ids('mappings', 'attributes'),
    ),
  )
  for (const [table, column, candidates] of [
    ['resources', 'resource', resources],
    ['scopes', 'scope', scopes],
  ] as const) {
    if (candidates.size === 0) continue
    const references = [...ITEM_TABLES, 'series'].map(each => ids(each, column))
    await remove(table, `id IN (${[...candidates].join(', ')}) AND ${unreferenced(...references)}`)
  }
}
