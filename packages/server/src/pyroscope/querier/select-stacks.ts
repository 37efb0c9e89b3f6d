// SelectMergeStacktraces, SelectMergeSpanProfile, SelectMergeProfile and Diff: everything that was selected as one tree.
import { writeDot, writePprof } from '@hearth/profile'
import { codecOf } from '@hearth/signals'
import type { FlameGraph as QueryFlameGraph, TreeChoice } from '../../query/trees/flame-graph.ts'
import { flameGraph } from '../../query/trees/flame-graph.ts'
import { Code, Refusal } from '../../receive/refusal.ts'
import type { GoogleProfile } from '../messages/google-profile.ts'
import { GOOGLE_PROFILE } from '../messages/google-profile.ts'
import type {
  DiffRequest,
  DiffResponse,
  FlameGraph,
  SelectMergeProfileRequest,
  SelectMergeSpanProfileRequest,
  SelectMergeStacktracesRequest,
  SelectMergeStacktracesResponse,
} from '../messages/querier-messages.ts'
import { PROFILE_FORMAT } from '../messages/querier-messages.ts'
import type { StackTraceSelector } from '../messages/types-messages.ts'
import type { FlameLevels } from './render/flame-levels.ts'
import { flameLevels } from './render/flame-levels.ts'
import { mergedProfile } from './merged-profile.ts'
import type { CutTree } from './name-tree.ts'
import { NameTree } from './name-tree.ts'
import type { Asker, Part, Selected } from './part-questions.ts'
import { partsFor, rangeOfMillis } from './part-questions.ts'
import { parseTypeId } from './profile-type.ts'
import { treeBytes } from './tree-bytes.ts'

const Format = PROFILE_FORMAT.values

/** As many as fit on a screen. */
export const DEFAULT_NODES = 8192
/** Of a pprof file, where nobody says how many. */
const PPROF_NODES = 200_000
const LEAST_ASKED = 16_384
const DOT_NODES = 80
const MOST_DOT_NODES = 2000
/** Of each side of a diff, from which the largest of both are chosen. */
const DIFF_NODES = 65_536

const googleProfiles = codecOf(GOOGLE_PROFILE, GOOGLE_PROFILE.name)

/** Zero is as good as nothing. Throws Refusal. */
export function nodesOf({ maxNodes: most }: Asker, maxNodes: bigint | undefined, unlessGiven: number): number {
  if (maxNodes === undefined || maxNodes === 0n) return Math.min(unlessGiven, most)
  if (maxNodes < 0n || maxNodes > BigInt(most))
    throw new Refusal(400, Code.invalidArgument, 'query', `max_nodes is ${maxNodes}; at most ${most} are taken`)
  return Number(maxNodes)
}

export function callSiteOf(selector: StackTraceSelector | undefined): StackTraceSelector['callSite'] {
  if (selector?.goPgo !== undefined)
    throw new Refusal(501, Code.unimplemented, 'query', 'go_pgo: profiles for the Go compiler are not made here')
  return selector?.callSite ?? []
}

export async function selectMergeStacktraces(
  asker: Asker,
  request: SelectMergeStacktracesRequest,
): Promise<SelectMergeStacktracesResponse> {
  const selected = stacktracesOf(request)
  const nothing = { flamegraph: undefined, tree: new Uint8Array(0), dot: '', pprof: undefined }
  switch (request.format) {
    case Format.PROFILE_FORMAT_UNSPECIFIED:
    case Format.PROFILE_FORMAT_FLAMEGRAPH:
      return {
        ...nothing,
        flamegraph: flameGraphOf(await treeOf(asker, selected, nodesOf(asker, request.maxNodes, DEFAULT_NODES))),
      }
    case Format.PROFILE_FORMAT_TREE:
      return {
        ...nothing,
        tree: treeBytes(await treeOf(asker, selected, nodesOf(asker, request.maxNodes, DEFAULT_NODES))),
      }
    case Format.PROFILE_FORMAT_DOT:
      return { ...nothing, dot: await dotOf(asker, selected, request.maxNodes) }
    case Format.PROFILE_FORMAT_PPROF:
      return { ...nothing, pprof: { profile: await pprofOf(asker, selected, request.maxNodes) } }
    default:
      throw new Refusal(400, Code.invalidArgument, 'query', `format ${request.format} is not known`)
  }
}

export function stacktracesOf(request: SelectMergeStacktracesRequest): Selected {
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

/** The same as the one above, which other clients ask for spans. */
export async function selectMergeSpanProfile(
  asker: Asker,
  request: SelectMergeSpanProfileRequest,
): Promise<SelectMergeStacktracesResponse> {
  if (request.spanSelector.length === 0)
    throw new Refusal(400, Code.invalidArgument, 'query', 'span_selector names no span')
  if (request.format > Format.PROFILE_FORMAT_TREE)
    throw new Refusal(400, Code.invalidArgument, 'query', 'format: spans come as a flame graph or as a tree')
  return await selectMergeStacktraces(asker, {
    ...request,
    stackTraceSelector: undefined,
    profileIdSelector: [],
    traceIdSelector: [],
  })
}

export async function selectMergeProfile(asker: Asker, request: SelectMergeProfileRequest): Promise<GoogleProfile> {
  const selected: Selected = {
    type: parseTypeId(request.profileTypeID),
    selector: request.labelSelector,
    ...rangeOfMillis(request.start, request.end),
    profileIds: request.profileIdSelector,
    traceIds: request.traceIdSelector,
    callSite: callSiteOf(request.stackTraceSelector),
  }
  return await pprofOf(asker, selected, request.maxNodes)
}

export async function diff(asker: Asker, { left, right }: DiffRequest): Promise<DiffResponse> {
  if (left === undefined || right === undefined)
    throw new Refusal(400, Code.invalidArgument, 'query', 'a diff has a left and a right')
  const maxNodes = nodesOf(asker, left.maxNodes ?? right.maxNodes, DEFAULT_NODES)
  const { names, levels, totals, maxSelf } = await diffLevels(
    asker,
    stacktracesOf(left),
    stacktracesOf(right),
    maxNodes,
  )
  const [leftTicks, rightTicks] = totals
  const rows = levels.map(values => ({ values }))
  return { flamegraph: { names, levels: rows, total: leftTicks + rightTicks, maxSelf, leftTicks, rightTicks } }
}

export async function diffLevels(
  asker: Asker,
  left: Selected,
  right: Selected,
  maxNodes: number,
): Promise<FlameLevels> {
  const both = new NameTree(2)
  for (const [side, selected] of [left, right].entries()) {
    for (const { part, graph } of await graphsOf(asker, selected, {
      maxNodes: Math.max(maxNodes, Math.min(DIFF_NODES, asker.maxNodes)),
    }))
      both.add(graph, part.factor, side)
  }
  return flameLevels(both.cut(maxNodes))
}

export async function treeOf(asker: Asker, selected: Selected, maxNodes: number): Promise<CutTree> {
  const tree = new NameTree()
  // The engine tells functions of several files apart, which are one node here; so it is asked for more.
  const asked = Math.max(maxNodes, Math.min(Math.max(2 * maxNodes, LEAST_ASKED), asker.maxNodes))
  for (const { part, graph } of await graphsOf(asker, selected, { maxNodes: asked })) tree.add(graph, part.factor)
  return tree.cut(maxNodes)
}

interface Answered {
  readonly part: Part
  readonly graph: QueryFlameGraph
}

async function graphsOf(asker: Asker, selected: Selected, choice: TreeChoice): Promise<Answered[]> {
  const answered: Answered[] = []
  for (const part of await partsFor(asker, selected))
    answered.push({ part, graph: await flameGraph(asker.queries, part.question, choice) })
  return answered
}

function flameGraphOf(tree: CutTree): FlameGraph {
  const { names, levels, totals, maxSelf } = flameLevels(tree)
  return { names, levels: levels.map(values => ({ values })), total: totals[0], maxSelf }
}

async function pprofOf(asker: Asker, selected: Selected, maxNodes: bigint | undefined): Promise<GoogleProfile> {
  const choice = { by: 'line', maxNodes: nodesOf(asker, maxNodes, PPROF_NODES) } as const
  const profiles = mergedProfile(selected.type, selected, await graphsOf(asker, selected, choice))
  return googleProfiles.decode(writePprof(profiles).bytes)
}

export async function dotOf(asker: Asker, selected: Selected, maxNodes: bigint | undefined): Promise<string> {
  const shown = Math.min(nodesOf(asker, maxNodes, DOT_NODES), MOST_DOT_NODES)
  const graphs = await graphsOf(asker, selected, { maxNodes: Math.min(PPROF_NODES, asker.maxNodes) })
  const { bytes } = writeDot(mergedProfile(selected.type, selected, graphs), { maxNodes: shown })
  return Buffer.from(bytes).toString('utf8')
}
