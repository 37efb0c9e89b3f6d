// The diff of two ranges or selectors, node by node.
import { z } from 'zod'
import { diff as queryDiff } from '../../../query/trees/diff.ts'
import { defineQuery } from '../endpoint.ts'
import { checkedNodes } from '../limits/query-gate.ts'
import { rejectUnknownKeys } from '../request/check-keys.ts'
import * as parameters from '../request/parameters.ts'
import { defined } from '../../../query/defined.ts'
import { queryOf } from '../request/request-context.ts'
import { parseTime } from '../request/times.ts'
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
    beforeSelector: parameters.text('The selector of the baseline; default: `selector`'),
    beforeFrom: parameters.text('The start of the baseline range; default: a range of the same length'),
    beforeTo: parameters.text('The end of the baseline range; default: `from`'),
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
    const to = request.beforeTo === undefined ? after.from : parseTime(request.beforeTo, context.now)
    const length = after.to - after.from
    const from =
      request.beforeFrom === undefined ? (to > length ? to - length : 0n) : parseTime(request.beforeFrom, context.now)
    const selector = request.beforeSelector ?? request.selector
    const before = { ...after, from, to, ...defined({ selector }) }
    const choice = defined({ by, inlined, addresses, roots, order, maxNodes, normalise })
    const found = await queryDiff(context.queries, before, after, choice)
    if (found.before.profiles + found.after.profiles === 0) await rejectUnknownKeys(context, after)
    return diffJson(found)
  },
})
