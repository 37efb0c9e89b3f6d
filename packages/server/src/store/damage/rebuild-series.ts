// Rebuilds lost rows of `series` from the profiles that refer to them. Without its series, a profile is stored but not found.
import type { Engine } from '../engine.ts'
import type { Block } from '../native/block.ts'
import { quoteText } from '../sql-text.ts'
import { HASH_WORDS, HashInput, Seed, isIdOf } from '../symbols/content-hash.ts'
import { wordsOf } from '../symbols/symbol-table.ts'

/** Limits the length of a statement. */
const SERIES_A_STATEMENT = 5000
const TEXTS = ['type', 'unit', 'period_type', 'period_unit'] as const

/** Returns the number of rows. */
export async function rebuildSeries(engine: Engine): Promise<number> {
  for (let rebuilt = 0; ;) {
    const lost = await engine.select(
      "SELECT CAST(tenant, 'String') AS owner, series, any(resource) AS resource, any(scope) AS scope, " +
        `${TEXTS.map(text => `any(${text}) AS ${text}`).join(', ')} FROM profiles ` +
        'WHERE (tenant, series) NOT IN (SELECT tenant, id FROM series) GROUP BY owner, series ' +
        `LIMIT ${SERIES_A_STATEMENT}`,
    )
    const inserted = await insertSeries(engine, lost)
    rebuilt += inserted
    if (inserted < SERIES_A_STATEMENT) return rebuilt
  }
}

/** The engine copies the texts, so that they keep every byte. */
async function insertSeries(engine: Engine, lost: Block): Promise<number> {
  const byTenant = new Map<string, { readonly ids: string[]; readonly checks: string[] }>()
  let count = 0
  const words = new Int32Array(HASH_WORDS)
  const ids = lost.rows === 0 ? words : wordsOf(lost.column('series'))
  for (let row = 0; row < lost.rows; row++) {
    hashSeries(lost, row, words)
    // Rows that an earlier version of the hash named would get another identity.
    if (!isIdOf(ids[2 * row], ids[2 * row + 1], words[2], words[3], words)) continue
    const tenant = lost.column('owner').text(row)
    const of = byTenant.get(tenant) ?? { ids: [], checks: [] }
    byTenant.set(tenant, of)
    of.ids.push(String(lost.column('series').bigint(row)))
    of.checks.push(String((BigInt(words[3] >>> 0) << 32n) | BigInt(words[2] >>> 0)))
    count++
  }
  for (const [tenant, { ids: numbers, checks }] of byTenant)
    await engine.command(
      `INSERT INTO series (tenant, id, check, last_seen, resource, scope, service, ${TEXTS.join(', ')}) ` +
        `SELECT tenant, series, transform(series, [${numbers.map(asUInt64).join(', ')}], [${checks.map(asUInt64).join(', ')}], toUInt64(0)), ` +
        `max(day), any(resource), any(scope), any(service), ${TEXTS.map(text => `any(${text})`).join(', ')} ` +
        `FROM profiles WHERE tenant = ${quoteText(tenant)} AND series IN (${numbers.join(', ')}) GROUP BY tenant, series`,
    )
  return count
}

/** Small numbers in an array would have a smaller type. */
function asUInt64(number: string): string {
  return `toUInt64('${number}')`
}

const input = new HashInput()

/** Like the hash in write-symbols.ts. */
function hashSeries(block: Block, row: number, words: Int32Array): void {
  input.start((1 + TEXTS.length) * HASH_WORDS)
  for (const name of ['resource', 'scope']) {
    const halves = wordsOf(block.column(name))
    input.pair(halves[2 * row], halves[2 * row + 1])
  }
  for (const name of TEXTS) input.text(block.column(name).bytes(row))
  input.hash(Seed.series, words)
}
