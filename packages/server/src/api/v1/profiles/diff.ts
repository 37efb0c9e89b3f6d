// The diff of two ranges or selectors, node by node.
import { z } from 'zod'
import { diff as queryDiff } from '../../../query/trees/diff.ts'
import { defineQuery } from '../endpoint.ts'
import { checkedNodes } from '../limits/query-gate.ts'
import { baseline, baselineOf } from '../request/baseline.ts'
import { rejectUnknownKeys } from '../request/check-keys.ts'
import * as parameters from '../request/parameters.ts'
import { defined } from '../../../query/defined.ts'
import { queryOf } from '../request/request-context.ts'
import { diffJson, diffSchema } from './diff-json.ts'

export const diff = defineQuery({
  name: 'diff',
  path: '/diff',
  summary: 'The differences between two ranges or selectors, node by node',
  request: z.strictObject({
    ...parameters.selection,
    snapshots: parameters.snapshots,
    times: parameters.times,
    ...parameters.observed,
    ...parameters.spans,
    ...baseline,
    ...parameters.frames,
    root: parameters.root,
    order: parameters.order,
    nodes: parameters.nodes,
    normalise: parameters.flag('Scale the baseline to the sum of the comparison, to compare shares'),
  }),
  response: diffSchema,
  columns: true,
  async handle(context, request) {
    const { by, inlined, addresses, root: roots, order, normalise } = request
    const maxNodes = checkedNodes('nodes', request.nodes, parameters.DEFAULT_NODES, context.tenantLimits)
    const after = queryOf(context, request)
    const before = baselineOf(context, request, after)
    const choice = defined({ by, inlined, addresses, roots, order, maxNodes, normalise })
    const found = await queryDiff(context.queries, before, after, choice)
    if (found.before.profiles + found.after.profiles === 0) await rejectUnknownKeys(context, after)
    return diffJson(found)
  },
})
