// Rows of the table `series`: one profile type of one resource and scope.
import type { Block } from '../../store/native/block.ts'
import type { RunningQuery } from '../query.ts'
import { Values } from '../statement.ts'

export interface SeriesRow {
  readonly id: bigint
  readonly resource: bigint
  readonly scope: bigint
  readonly service: string
  readonly type: string
  readonly unit: string
  readonly periodType: string
  readonly periodUnit: string
}

/** All series of the tenant, or those of a type. */
export async function readSeries(running: RunningQuery, type: string | undefined): Promise<readonly SeriesRow[]> {
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
  return rowsOf(block)
}

function rowsOf(block: Block): SeriesRow[] {
  if (block.rows === 0) return []
  const rows: SeriesRow[] = []
  const id = block.column('id')
  const resource = block.column('resource')
  const scope = block.column('scope')
  const texts = ['service', 'type', 'unit', 'period_type', 'period_unit'].map(name => block.column(name))
  for (let row = 0; row < block.rows; row++) {
    const [service, type, unit, periodType, periodUnit] = texts.map(column => column.text(row))
    rows.push({
      id: id.bigint(row),
      resource: resource.bigint(row),
      scope: scope.bigint(row),
      service,
      type,
      unit,
      periodType,
      periodUnit,
    })
  }
  return rows
}
