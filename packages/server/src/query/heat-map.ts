// Cells of a heat map below the second: a column for every second (or other span), a row for each part of it, so that what
// happens at the same moment of every second shows as a line.
import { measure } from './measure.ts'
import { LOOK_BACK, observationsFrom } from './observations-sql.ts'
import { QueryError } from './query-error.ts'
import type { Question } from './question.ts'
import { Asking, checkCount } from './question.ts'
import { resolve } from './selection.ts'
import { Values } from './statement.ts'
import type { Measured, Workshop } from './weights.ts'
import { measuredOf } from './weights.ts'

export interface HeatMapChoice {
  /** Nanoseconds of a column; a second unless given. */
  readonly column?: bigint
  /** How many rows a column has; 50 unless given. */
  readonly rows?: number
}

/** Only cells that are not empty, by column and row. */
export interface HeatMap extends Measured {
  readonly column: bigint
  readonly rows: number
  readonly length: number
  /** Counted from where the question's range begins. */
  readonly columns: Uint32Array
  readonly row: Uint32Array
  /** How many observations. */
  readonly count: Float64Array
  /** The sum of their values. */
  readonly value: Float64Array
}

const MOST_COLUMNS = 11_000n
const MOST_ROWS = 1_000

export async function heatMap(workshop: Workshop, question: Question, choice: HeatMapChoice): Promise<HeatMap> {
  const { column = 1_000_000_000n, rows = 50 } = choice
  checkCount('rows', rows, MOST_ROWS)
  const { from, to } = new Asking(workshop.engine, question)
  if (column < BigInt(rows)) throw new QueryError('argument', `a column of ${column} ns`)
  if ((to - from + column - 1n) / column > MOST_COLUMNS)
    throw new QueryError('argument', `more than ${MOST_COLUMNS} columns`)
  const asking = new Asking(workshop.engine, { ...question, from: from > LOOK_BACK ? from - LOOK_BACK : 0n })
  const selection = await resolve(asking)
  const measured = await measure(selection, workshop.temporalities)
  const values = new Values()
  const origin = values.add('UInt64', from)
  const width = values.add('UInt64', column)
  const block = await asking.selectLimited(
    `SELECT toUInt32(intDiv(at - ${origin}, ${width})) AS x, ` +
      `toUInt32(intDiv(toUInt128(at - ${origin}) % ${width} * ${rows}, ${width})) AS y, ` +
      'toFloat64(count()) AS n, sum(toFloat64(value)) AS v ' +
      `${observationsFrom(selection, values, from, to)} GROUP BY x, y ORDER BY x, y`,
    values.all,
    'cells',
  )
  const numbers = (name: string) => Array.from({ length: block.rows }, (_, row) => block.column(name).number(row))
  return {
    ...measuredOf(measured),
    column,
    rows,
    length: block.rows,
    columns: Uint32Array.from(numbers('x')),
    row: Uint32Array.from(numbers('y')),
    count: Float64Array.from(numbers('n')),
    value: Float64Array.from(numbers('v')),
  }
}
