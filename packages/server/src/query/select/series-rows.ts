// Rows of the table `series`: one profile type of one resource and scope.
import type { Block } from '../../store/native/block.ts'

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

export function seriesAt(block: Block, row: number): SeriesRow {
  const [id, resource, scope] = ['id', 'resource', 'scope'].map(name => block.column(name).bigint(row))
  const [service, type, unit, periodType, periodUnit] = TEXTS.map(name => block.column(name).text(row))
  return { id, resource, scope, service, type, unit, periodType, periodUnit }
}

const TEXTS = ['service', 'type', 'unit', 'period_type', 'period_unit']
