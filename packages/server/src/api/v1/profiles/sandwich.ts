// The sandwich: one frame with the tree of its callers and the tree of its callees.
import { z } from 'zod'
import type { SandwichTree } from '../../../query/trees/sandwich.ts'
import { sandwich as querySandwich } from '../../../query/trees/sandwich.ts'
import { defineQuery } from '../endpoint.ts'
import { checkedNodes } from '../limits/query-gate.ts'
import * as parameters from '../request/parameters.ts'
import { defined } from '../../../query/defined.ts'
import { queryOf } from '../request/request-context.ts'
import { int64 } from '../response/fields.ts'
import type { Serialized } from '../response/response-columns.ts'
import { FrameColumn, frameJson } from '../response/response-columns.ts'
import { nameSchema } from '../response/schema-names.ts'
import * as tree from './tree-json.ts'

const sandwichTree = nameSchema(
  'SandwichTree',
  z.strictObject({ frames: z.array(tree.frame), nodes: tree.treeNodes, hidden: tree.hidden }),
)

export const sandwich = defineQuery({
  name: 'sandwich',
  path: '/sandwich',
  summary: 'One frame with the trees of its callers and callees',
  request: z.strictObject({
    ...parameters.stacks,
    function: z.string().max(65_536).meta({ description: 'The name of the frame' }),
    file: parameters.text('The file of the frame, if several frames have the name'),
    nodes: parameters.nodes,
  }),
  response: z.strictObject({
    ...tree.measured,
    frame: tree.frame,
    sum: tree.sum,
    total: int64('The sum of the stacks that contain the frame'),
    overflow: tree.overflow,
    missing: tree.missing,
    callers: sandwichTree,
    callees: sandwichTree,
  }),
  columns: true,
  async handle(context, request) {
    const { by, inlined, addresses, root: roots, function: name, file } = request
    const maxNodes = checkedNodes('nodes', request.nodes, parameters.DEFAULT_NODES, context.tenantLimits)
    const frame = { name, ...defined({ file }) }
    const choice = defined({ by, inlined, addresses, roots, maxNodes })
    const found = await querySandwich(context.queries, queryOf(context, request), frame, choice)
    return {
      ...tree.measuredJson(found),
      frame: frameJson(found.frame),
      sum: found.sum.toString(),
      total: found.total.toString(),
      overflow: found.overflow,
      missing: tree.missingJson(found.missing),
      callers: treeJson(found.callers),
      callees: treeJson(found.callees),
    }
  },
})

function treeJson(half: SandwichTree): Serialized<z.infer<typeof sandwichTree>> {
  return { frames: new FrameColumn(half.frames), nodes: tree.nodesJson(half), hidden: tree.hiddenJson(half.hidden) }
}
