// The flame graph: the merged call tree of the selected profiles.
import { z } from 'zod'
import { flameGraph as queryFlameGraph } from '../../../query/trees/flame-graph.ts'
import { defineQuery } from '../endpoint.ts'
import { checkedNodes } from '../limits/query-gate.ts'
import { rejectUnknownKeys } from '../request/check-keys.ts'
import * as parameters from '../request/parameters.ts'
import { defined } from '../../../query/defined.ts'
import { queryOf } from '../request/request-context.ts'
import { FrameColumn } from '../response/response-columns.ts'
import * as tree from './tree-json.ts'

export const flameGraph = defineQuery({
  name: 'flameGraph',
  path: '/flamegraph',
  summary: 'The merged call tree of the selected profiles',
  request: z.strictObject({
    ...parameters.stacks,
    order: parameters.order,
    nodes: parameters.nodes,
  }),
  response: z.strictObject({
    ...tree.measured,
    order: z.enum(['root-first', 'leaf-first']),
    sum: tree.sum,
    overflow: tree.overflow,
    hidden: tree.hidden,
    missing: tree.missing,
    frames: z.array(tree.frame),
    nodes: tree.treeNodes,
  }),
  columns: true,
  async handle(context, request) {
    const { by, inlined, addresses, root: roots, order } = request
    const maxNodes = checkedNodes('nodes', request.nodes, parameters.DEFAULT_NODES, context.tenantLimits)
    const query = queryOf(context, request)
    const found = await queryFlameGraph(
      context.queries,
      query,
      defined({ by, inlined, addresses, roots, order, maxNodes }),
    )
    if (found.profiles === 0) await rejectUnknownKeys(context, query)
    return {
      ...tree.measuredJson(found),
      order: found.order,
      sum: found.sum.toString(),
      overflow: found.overflow,
      hidden: tree.hiddenJson(found.hidden),
      missing: tree.missingJson(found.missing),
      frames: new FrameColumn(found.frames),
      nodes: tree.nodesJson(found),
    }
  },
})
