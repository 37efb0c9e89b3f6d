// SelectMergeStacktraces, SelectMergeSpanProfile, SelectMergeProfile and Diff: all selected data as one tree.
import { writeDot, writePprof } from '@hearth/profile'
import { codecOf } from '@hearth/signals'
import type { FlameGraph, TreeChoice } from '../../query/trees/flame-graph.ts'
import { flameGraph } from '../../query/trees/flame-graph.ts'
import { Code, Refusal } from '../../receive/refusal.ts'
import type { GoogleProfile } from '../messages/google-profile.ts'
import { GOOGLE_PROFILE } from '../messages/google-profile.ts'
import type {
  DiffRequest,
  DiffResponse,
  FlameGraphMessage,
  SelectMergeProfileRequest,
  SelectMergeSpanProfileRequest,
  SelectMergeStacktracesRequest,
  SelectMergeStacktracesResponse,
} from '../messages/querier-messages.ts'
import { PROFILE_FORMAT } from '../messages/querier-messages.ts'
import type { GoPgo, StackTraceSelector } from '../messages/types-messages.ts'
import type { FlameLevels } from './render/flame-levels.ts'
import { flameLevels } from './render/flame-levels.ts'
import { completeProfile, mergedProfile } from './merged-profile.ts'
import type { CutTree } from './name-tree.ts'
import { NameTree } from './name-tree.ts'
import type { QuerierContext, Selected } from './part-queries.ts'
import { partsFor, rangeOfMillis } from './part-queries.ts'
import { parseTypeId } from './profile-type.ts'
import { treeBytes } from './tree-bytes.ts'

const Format = PROFILE_FORMAT.values

/** The number of nodes that fit on a screen. */
export const DEFAULT_NODES = 8192
/** From which the nodes of a graph are chosen. */
const GRAPH_NODES = 200_000
const MIN_REQUESTED_NODES = 16_384
const DOT_NODES = 80
const MAX_DOT_NODES = 2000
/** For each side of a diff, from which the largest nodes of both are chosen. */
const DIFF_NODES = 65_536

const googleProfiles = codecOf(GOOGLE_PROFILE, GOOGLE_PROFILE.name)

/** Zero means the default. Throws Refusal. */
export function nodesOf({ maxNodes: most }: QuerierContext, maxNodes: bigint | undefined, unlessGiven: number): number {
  if (maxNodes === undefined || maxNodes === 0n) return Math.min(unlessGiven, most)
  if (maxNodes < 0n || maxNodes > BigInt(most))
    throw new Refusal(400, Code.invalidArgument, 'query', `max_nodes is ${maxNodes}; the limit is ${most}`)
  return Number(maxNodes)
}

export function callSiteOf(selector: StackTraceSelector | undefined): StackTraceSelector['callSite'] {
  return selector?.callSite ?? []
}

export async function selectMergeStacktraces(
  context: QuerierContext,
  request: SelectMergeStacktracesRequest,
): Promise<SelectMergeStacktracesResponse> {
  const selected = stacktracesOf(request)
  const nothing = { flamegraph: undefined, tree: new Uint8Array(0), dot: '', pprof: undefined }
  switch (request.format) {
    case Format.PROFILE_FORMAT_UNSPECIFIED:
    case Format.PROFILE_FORMAT_FLAMEGRAPH:
      return {
        ...nothing,
        flamegraph: flameGraphOf(await treeOf(context, selected, nodesOf(context, request.maxNodes, DEFAULT_NODES))),
      }
    case Format.PROFILE_FORMAT_TREE:
      return {
        ...nothing,
        tree: treeBytes(await treeOf(context, selected, nodesOf(context, request.maxNodes, DEFAULT_NODES))),
      }
    case Format.PROFILE_FORMAT_DOT:
      return { ...nothing, dot: await dotOf(context, selected, request.maxNodes) }
    case Format.PROFILE_FORMAT_PPROF: {
      const bytes = await pprofOf(context, selected, request.maxNodes, request.stackTraceSelector?.goPgo)
      return { ...nothing, pprof: { profile: googleProfiles.decode(bytes) } }
    }
    default:
      throw new Refusal(400, Code.invalidArgument, 'query', `unknown format ${request.format}`)
  }
}

function stacktracesOf(request: SelectMergeStacktracesRequest): Selected {
  return {
    type: parseTypeId(request.profileTypeID),
    selector: request.labelSelector,
    ...rangeOfMillis(request.start, request.end),
    profileIds: request.profileIdSelector,
    traceIds: request.traceIdSelector,
    spanIds: request.spanSelector,
    callSite: callSiteOf(request.stackTraceSelector),
  }
}

/** The same as selectMergeStacktraces, for older clients that query spans. */
export async function selectMergeSpanProfile(
  context: QuerierContext,
  request: SelectMergeSpanProfileRequest,
): Promise<SelectMergeStacktracesResponse> {
  if (request.spanSelector.length === 0)
    throw new Refusal(400, Code.invalidArgument, 'query', 'span_selector names no span')
  if (request.format > Format.PROFILE_FORMAT_TREE)
    throw new Refusal(400, Code.invalidArgument, 'query', 'format: spans come as a flame graph or as a tree')
  return await selectMergeStacktraces(context, {
    ...request,
    stackTraceSelector: undefined,
    profileIdSelector: [],
    traceIdSelector: [],
  })
}

export async function selectMergeProfile(
  context: QuerierContext,
  request: SelectMergeProfileRequest,
): Promise<GoogleProfile> {
  return googleProfiles.decode(await mergedPprof(context, request))
}

/** The encoded response of selectMergeProfile. As objects, it would take longer to read and write than the query. */
export async function mergedPprof(context: QuerierContext, request: SelectMergeProfileRequest): Promise<Uint8Array> {
  const selected: Selected = {
    type: parseTypeId(request.profileTypeID),
    selector: request.labelSelector,
    ...rangeOfMillis(request.start, request.end),
    profileIds: request.profileIdSelector,
    traceIds: request.traceIdSelector,
    callSite: callSiteOf(request.stackTraceSelector),
  }
  return await pprofOf(context, selected, request.maxNodes, request.stackTraceSelector?.goPgo)
}

export async function diff(context: QuerierContext, { left, right }: DiffRequest): Promise<DiffResponse> {
  if (left === undefined || right === undefined)
    throw new Refusal(400, Code.invalidArgument, 'query', 'a diff requires left and right')
  const maxNodes = nodesOf(context, left.maxNodes ?? right.maxNodes, DEFAULT_NODES)
  const { names, levels, totals, maxSelf } = await diffLevels(
    context,
    stacktracesOf(left),
    stacktracesOf(right),
    maxNodes,
  )
  const [leftTicks, rightTicks] = totals
  const rows = levels.map(values => ({ values }))
  return { flamegraph: { names, levels: rows, total: leftTicks + rightTicks, maxSelf, leftTicks, rightTicks } }
}

export async function diffLevels(
  context: QuerierContext,
  left: Selected,
  right: Selected,
  maxNodes: number,
): Promise<FlameLevels> {
  const both = new NameTree(2)
  for (const [side, selected] of [left, right].entries()) {
    const requested = Math.max(maxNodes, Math.min(DIFF_NODES, context.maxNodes))
    for (const graph of await graphsOf(context, selected, { maxNodes: requested })) both.add(graph, side)
  }
  return flameLevels(both.cut(maxNodes))
}

export async function treeOf(context: QuerierContext, selected: Selected, maxNodes: number): Promise<CutTree> {
  const tree = new NameTree()
  // The engine distinguishes functions of several files, which are one node here. So the query requests more nodes.
  const requested = Math.max(maxNodes, Math.min(Math.max(2 * maxNodes, MIN_REQUESTED_NODES), context.maxNodes))
  for (const graph of await graphsOf(context, selected, { maxNodes: requested })) tree.add(graph)
  return tree.cut(maxNodes)
}

async function graphsOf(context: QuerierContext, selected: Selected, choice: TreeChoice): Promise<FlameGraph[]> {
  const graphs: FlameGraph[] = []
  for (const query of await partsFor(context, selected)) {
    graphs.push(await flameGraph(context.queries, query, choice))
  }
  return graphs
}

function flameGraphOf(tree: CutTree): FlameGraphMessage {
  const { names, levels, totals, maxSelf } = flameLevels(tree)
  return { names, levels: levels.map(values => ({ values })), total: totals[0], maxSelf }
}

async function pprofOf(
  context: QuerierContext,
  selected: Selected,
  maxNodes: bigint | undefined,
  goPgo: GoPgo | undefined,
): Promise<Uint8Array> {
  const isLimited = goPgo === undefined && maxNodes !== undefined && maxNodes !== 0n
  const choice = { goPgo, maxNodes: isLimited ? nodesOf(context, maxNodes, context.maxNodes) : undefined }
  const complete = await completeProfile(context, selected.type, selected, await partsFor(context, selected), choice)
  return writePprof(complete).bytes
}

export async function dotOf(
  context: QuerierContext,
  selected: Selected,
  maxNodes: bigint | undefined,
): Promise<string> {
  const shown = Math.min(nodesOf(context, maxNodes, DOT_NODES), MAX_DOT_NODES)
  const graphs = await graphsOf(context, selected, { maxNodes: Math.min(GRAPH_NODES, context.maxNodes) })
  const { bytes } = writeDot(mergedProfile(selected.type, selected, graphs), { maxNodes: shown })
  return Buffer.from(bytes).toString('utf8')
}
