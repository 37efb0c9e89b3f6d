// The diff of two call trees in responses.
import type { ValueColumns } from '@hearth/profile'
import { differences } from '@hearth/profile'
import { z } from 'zod'
import type { Diff, DiffSide } from '../../../query/trees/diff.ts'
import { int64 } from '../response/fields.ts'
import type { Serialized } from '../response/response-columns.ts'
import { FrameColumn, NumberColumn } from '../response/response-columns.ts'
import { nameSchema } from '../response/schema-names.ts'
import * as tree from './tree-json.ts'

const scaled = z.array(z.string().regex(/^-?\d+(\.\d+)?(e[+-]\d+)?$/)).meta({
  description: 'Integers, unless values were scaled',
})

const diffSide = nameSchema(
  'DiffSide',
  z.strictObject({
    ...tree.measured,
    sum: int64('The sum before scaling'),
    overflow: tree.overflow,
    hidden: tree.hidden,
    missing: tree.missing,
    self: scaled,
    total: scaled,
  }),
)

export const diffSchema = z.strictObject({
  order: z.enum(['root-first', 'leaf-first']),
  scale: z.number().meta({ description: 'The factor applied to the values of `before`' }),
  before: diffSide,
  after: diffSide,
  frames: z.array(tree.frame),
  nodes: z.strictObject({
    ...tree.shape,
    presence: z.array(z.int().min(1).max(3)).meta({ description: '1: only before, 2: only after, 3: both' }),
    selfDelta: scaled,
    totalDelta: scaled,
  }),
})

export function diffJson({ tree: diff, before, after }: Diff): Serialized<z.infer<typeof diffSchema>> {
  const delta = tree.valuesJson(differences(diff.before, diff))
  return {
    order: diff.order,
    scale: diff.scale,
    before: sideJson(before, diff.before),
    after: sideJson(after, diff),
    frames: new FrameColumn(diff.frames),
    nodes: {
      ...tree.shapeJson(diff),
      presence: new NumberColumn(diff.presence),
      selfDelta: delta.self,
      totalDelta: delta.total,
    },
  }
}

function sideJson(side: DiffSide, columns: ValueColumns): Serialized<z.infer<typeof diffSide>> {
  const { sum, overflow, hidden, missing } = side
  return {
    ...tree.measuredJson(side),
    sum: sum.toString(),
    overflow,
    hidden: tree.hiddenJson(hidden),
    missing: tree.missingJson(missing),
    ...tree.valuesJson(columns),
  }
}
