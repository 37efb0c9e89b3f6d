// Compares slow traces with fast ones. Absolute values are per request. One response contains both sides, and everything else
// is computed from it. The server decides which traces belong to which set.
import type { CompareTracesColumns, CompareTracesRequest, HearthClient } from '@hearth/client'
import { EMPTY_QUERY, selectorKey } from '../address/query.ts'
import type { CallTree } from '@hearth/profile'
import { joinTops, perRequest, topOfTree } from '@hearth/profile'
import { diffTree } from './response-columns.ts'
import { ServerSource } from './server-source.ts'
import type { ComparisonSource, DiffRows, TreeResult, TreeOrder, TreeSource } from './profile-source.ts'

const NODES = 200_000

export type TraceSets = Pick<CompareTracesColumns, 'threshold' | 'slow' | 'fast'>

export class TraceComparison implements ComparisonSource {
  readonly key: string
  readonly before: TreeSource
  readonly after: TreeSource
  readonly #client: HearthClient
  readonly #request: CompareTracesRequest
  readonly #now: number
  /** By order and scale: views request the same tree more than once. */
  readonly #responses = new Map<string, Promise<CompareTracesColumns>>()

  /** The times of the request are absolute. `now` is the time of the load. */
  constructor(client: HearthClient, request: CompareTracesRequest, now: number) {
    this.#client = client
    this.#request = request
    this.#now = now
    this.key = `traces:${now}:${JSON.stringify(request)}`
    const side = (which: 'before' | 'after'): TreeSource => ({
      key: `${this.key}:${which}`,
      tree: async (order, signal) => oneSide(await this.tree(order, true, signal), which),
    })
    this.before = side('before')
    this.after = side('after')
  }

  async tree(order: TreeOrder, absolute: boolean, signal: AbortSignal): Promise<TreeResult> {
    const { diff, slow } = await this.#load(order, absolute, signal)
    const result = diffTree(diff)
    return absolute ? { ...result, tree: perRequest(result.tree, slow.traceIds.length) } : result
  }

  async rows(signal: AbortSignal): Promise<DiffRows> {
    const { fast, slow } = await this.#load('root-first', true, signal)
    const { tree } = await this.tree('root-first', true, signal)
    const top = topOfTree(tree)
    const joined = joinTops({ ...top, ...top.before }, top)
    return {
      ...joined,
      beforeObservations: fast.samples,
      afterObservations: slow.samples,
      requests: { before: fast.traceIds.length, after: slow.traceIds.length },
    }
  }

  rooted(roots: readonly string[]): TraceComparison {
    if (roots.length === 0) return this
    return new TraceComparison(this.#client, { ...this.#request, root: roots.map(selectorKey) }, this.#now)
  }

  /** All profiles of the service have these attributes. */
  async attributes(signal: AbortSignal): Promise<readonly string[]> {
    const { profiles: type = '', service = '', from = EMPTY_QUERY.from, to = EMPTY_QUERY.to } = this.#request
    const query = { ...EMPTY_QUERY, type, service, from, to }
    return await new ServerSource(this.#client, query, this.#now).attributes(signal)
  }

  /** The traces that are compared. */
  async sets(signal: AbortSignal): Promise<TraceSets> {
    const { threshold, slow, fast } = await this.#load('root-first', false, signal)
    return { slow, fast, ...(threshold === undefined ? {} : { threshold }) }
  }

  async #load(order: TreeOrder, absolute: boolean, signal: AbortSignal): Promise<CompareTracesColumns> {
    const key = `${order}:${absolute}`
    const known = this.#responses.get(key)
    if (known !== undefined) return await known
    const request = { ...this.#request, order, normalise: !absolute, nodes: NODES }
    const response = this.#client.columns('compareTraces', request, { signal })
    this.#responses.set(key, response)
    // A failed or cancelled request can be sent again.
    response.catch(() => this.#responses.delete(key))
    return await response
  }
}

/** The tree with the values of one side, without nodes of only the other side. */
function oneSide(result: TreeResult, which: 'before' | 'after'): TreeResult {
  const { tree } = result
  const values = which === 'after' ? tree : (tree.before ?? tree)
  const shown: CallTree = { ...tree, ...sideOf(values), before: undefined }
  return { ...result, tree: shown }
}

function sideOf({
  self,
  total,
  selfExact,
  totalExact,
  sum,
}: Pick<CallTree, 'self' | 'total' | 'selfExact' | 'totalExact' | 'sum'>) {
  return { self, total, selfExact, totalExact, sum }
}
