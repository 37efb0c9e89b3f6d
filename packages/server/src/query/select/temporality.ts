// The temporality of profiles, which is an attribute of theirs.
import type { RunningQuery } from '../query.ts'
import { MAX_IDS, Values } from '../statement.ts'
import type { Temporality } from './temporality-key.ts'
import { TEMPORALITY_KEY } from './temporality-key.ts'

/** The maximum number of sets: 8 MB. */
const REMEMBERED_SETS = 100_000

/** The temporalities of attribute sets. Sets are identified by their content, so a known temporality stays valid. */
export class Temporalities {
  readonly #known = new Map<string, Map<bigint, Temporality>>()

  async of(running: RunningQuery, sets: ReadonlySet<bigint>): Promise<ReadonlyMap<bigint, Temporality>> {
    const catalog = await running.catalog()
    if (catalog !== undefined) return catalog.temporalities
    let known = this.#known.get(running.tenant)
    if (known === undefined || known.size > REMEMBERED_SETS) {
      known = new Map<bigint, Temporality>()
      this.#known.set(running.tenant, known)
    }
    const wanted = [...sets].filter(id => id !== 0n && !known.has(id))
    // If every profile has attributes of its own, sets with the key are fewer than sets without.
    if (wanted.length > MAX_IDS) return await allWithTemporality(running)
    for (let from = 0; from < wanted.length; from += MAX_IDS) {
      const ids = wanted.slice(from, from + MAX_IDS)
      const values = new Values()
      const block = await running.select(
        `SELECT id, values[indexOf(keys, ${values.text(TEMPORALITY_KEY)})] AS temporality FROM attribute_sets ` +
          `WHERE tenant = ${values.text(running.tenant)} AND id IN ${values.ids(ids)}`,
        values.all,
      )
      for (const id of ids) known.set(id, 'unspecified')
      for (let row = 0; row < block.rows; row++) {
        const text = block.column('temporality').text(row)
        if (text === 'delta' || text === 'cumulative') known.set(block.column('id').bigint(row), text)
      }
    }
    return known
  }
}

async function allWithTemporality(running: RunningQuery): Promise<ReadonlyMap<bigint, Temporality>> {
  const values = new Values()
  const key = values.text(TEMPORALITY_KEY)
  const block = await running.selectLimited(
    `SELECT id, values[indexOf(keys, ${key})] AS temporality FROM attribute_sets ` +
      `WHERE tenant = ${values.text(running.tenant)} AND has(keys, ${key})`,
    values.all,
    'sets of profile attributes',
  )
  const found = new Map<bigint, Temporality>()
  for (let row = 0; row < block.rows; row++) {
    const text = block.column('temporality').text(row)
    if (text === 'delta' || text === 'cumulative') found.set(block.column('id').bigint(row), text)
  }
  return found
}

/** A statement with the ids of the tenant's attribute sets of cumulative profiles. */
export function cumulativeSets(tenant: string, values: Values): string {
  const temporality = `values[indexOf(keys, ${values.text(TEMPORALITY_KEY)})]`
  return `SELECT id FROM attribute_sets WHERE tenant = ${values.text(tenant)} AND ${temporality} = 'cumulative'`
}

/** Whether the tenant has cumulative profiles. Few have, so that most queries need not look for any. */
export async function hasCumulative(running: RunningQuery): Promise<boolean> {
  const catalog = await running.catalog()
  if (catalog !== undefined) return catalog.hasCumulative
  const values = new Values()
  const sql = `${cumulativeSets(running.tenant, values)} LIMIT 1`
  return (await running.selectSymbols('attribute_sets', sql, values.all)).rows > 0
}
