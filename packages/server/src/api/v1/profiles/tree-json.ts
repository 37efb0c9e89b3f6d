// Call trees, frames and measured values in responses: their schemas and how they are serialized.
import type { CallTree, ValueColumns } from '@hearth/profile'
import { SNAPSHOT_MODES } from '@hearth/profile'
import { z } from 'zod'
import type { Hidden } from '../../../query/trees/flame-graph.ts'
import type { Measured, Missing } from '../../../query/trees/summed-stacks.ts'
import { QUERY_NOTE_CODES } from '../../../query/trees/summed-stacks.ts'
import { UNRESOLVED_REASONS } from '../../../symbols/found-binary.ts'
import { count, int64, int64List } from '../response/fields.ts'
import type { Serialized } from '../response/response-columns.ts'
import { NumberColumn, SumColumn } from '../response/response-columns.ts'
import { nameSchema } from '../response/schema-names.ts'

export const frame = nameSchema(
  'Frame',
  z.strictObject({
    name: z.string(),
    file: z.string().optional(),
    line: int64('If frames are grouped by line').optional(),
    address: int64('If frames are grouped by address').optional(),
    mapping: z.string().optional(),
    type: z.string().optional().meta({ description: 'profile.frame.type' }),
    attribute: z
      .string()
      .optional()
      .meta({ description: 'The attribute whose value this frame is; missing for functions; see `root`' }),
  }),
)

/** The type and unit of the values in a response. */
export const measured = {
  type: z.string().meta({ description: 'Empty if no profile matches' }),
  unit: z.string(),
  temporality: z.enum(['delta', 'cumulative', 'unspecified']),
  profiles: count.meta({ description: 'The number of profiles' }),
  clamped: z.boolean().meta({ description: 'Whether the value of a sample of a span is clamped to 64 bits' }),
  snapshots: z.enum(SNAPSHOT_MODES).optional().meta({
    description: 'How snapshots of a state (live heap, goroutines) were combined over time; missing for other types',
  }),
  from: int64('The start of the range that was used, in nanoseconds since 1970'),
  to: int64('The end of the range that was used, in nanoseconds since 1970'),
  notes: z
    .array(nameSchema('QueryNote', z.strictObject({ code: z.enum(QUERY_NOTE_CODES), message: z.string() })))
    .meta({
      description:
        'Remarks on the values. mixed-periods: counts of samples at different periods were added up. ' +
        'mixed-temporality: increases of cumulative profiles were added to delta profiles',
    }),
}

export const hidden = nameSchema(
  'Hidden',
  z.strictObject({ nodes: count, self: int64('The sum of the self values of the hidden nodes') }),
)

export const missing = z
  .strictObject({
    stacks: count,
    self: int64('The sum of their values'),
    unresolved: z
      .array(nameSchema('Unresolved', z.strictObject({ reason: z.enum(UNRESOLVED_REASONS), frames: count })))
      .meta({
        description:
          'Distinct native frames without a name, by reason. no-build-id: the sender did not say which file it is. ' +
          'no-debug-info: no debug file is known. downloading: it is being fetched. download-failed: a debuginfod ' +
          'server failed. not-in-file: the debug file has no function at the address',
      }),
  })
  .meta({
    description:
      'Stacks with names that are not stored (their frames have no name, or are missing), and native frames without a name',
  })

export const shape = {
  parent: z.array(z.int().min(-1)).meta({ description: '-1 for roots; nodes are in depth-first order' }),
  frame: z.array(count).meta({ description: 'Row in frames' }),
  hiddenChildren: z.array(count).meta({ description: 'The number of children hidden by the node limit' }),
}

export const SELF = 'The value of the frame without its callees'
export const TOTAL = 'The value including callees'

export const treeNodes = nameSchema(
  'TreeNodes',
  z.strictObject({ ...shape, self: int64List(SELF), total: int64List(TOTAL) }),
)
export const overflow = z.boolean().meta({ description: 'Whether a sum exceeds 64 bits' })
export const sum = int64('The sum of all samples')

const measuredSchema = z.strictObject(measured)

export function measuredJson(found: Measured): z.infer<typeof measuredSchema> {
  const { type, unit, temporality, profiles, clamped, snapshots, from, to, notes } = found
  return {
    type,
    unit,
    temporality,
    profiles,
    clamped,
    ...(snapshots === undefined ? {} : { snapshots }),
    from: from.toString(),
    to: to.toString(),
    notes: [...notes],
  }
}

export function hiddenJson({ nodes, self }: Hidden): z.infer<typeof hidden> {
  return { nodes, self: self.toString() }
}

export function missingJson({ stacks, self, unresolved }: Missing): z.infer<typeof missing> {
  return { stacks, self: self.toString(), unresolved: [...unresolved] }
}

export function nodesJson(tree: CallTree): Serialized<z.infer<typeof treeNodes>> {
  return { ...shapeJson(tree), ...valuesJson(tree) }
}

/** Without depths and ends of subtrees: they follow from the parents, because nodes are in depth-first order. */
export function shapeJson({ length, parent, frame: frames, hiddenChildren = new Uint32Array(length) }: CallTree) {
  return {
    parent: new NumberColumn(parent),
    frame: new NumberColumn(frames),
    hiddenChildren: new NumberColumn(hiddenChildren),
  }
}

export function valuesJson({ self, total, selfExact, totalExact }: ValueColumns) {
  return { self: new SumColumn(self, selfExact), total: new SumColumn(total, totalExact) }
}
