// Reads the series of a tenant, from the catalog or from the store.
import type { RunningQuery } from '../query.ts'
import { Values } from '../statement.ts'
import type { SeriesRow } from './series-rows.ts'
import { seriesAt } from './series-rows.ts'

/** All series of the tenant, or those of a type. */
export async function readSeries(running: RunningQuery, type: string | undefined): Promise<readonly SeriesRow[]> {
  const catalog = await running.catalog()
  if (catalog !== undefined) {
    running.checkRows(catalog.series.size, 'series')
    const all = [...catalog.series.values()]
    return type === undefined ? all : all.filter(row => row.type === type)
  }
  return await running.remembered(
    'series',
    `series ${type === undefined ? '' : `of ${type}`}`,
    () => selectSeries(running, type),
    rows => rows.length,
  )
}

async function selectSeries(running: RunningQuery, type: string | undefined): Promise<SeriesRow[]> {
  const values = new Values()
  const ofType = type === undefined ? '' : ` AND type = ${values.text(type)}`
  const block = await running.selectLimited(
    'SELECT id, resource, scope, service, type, unit, period_type, period_unit FROM series ' +
      `WHERE tenant = ${values.text(running.tenant)}${ofType} LIMIT 1 BY id`,
    values.all,
    'series',
  )
  return Array.from({ length: block.rows }, (_, row) => seriesAt(block, row))
}
