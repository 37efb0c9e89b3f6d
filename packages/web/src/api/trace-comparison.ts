// Slow traces against fast ones as a comparison that views can show. Both sides come in one answer, out of which everything
// else is made: which traces are in which set is for the server to say.
import type { CompareTracesColumns, CompareTracesRequest, HearthClient } from '@hearth/client'
import { EMPTY_QUERY, selectorKey } from '../address/query.ts'
import type { CallTree } from '@hearth/profile'
import { topOfTree } from '@hearth/profile'
import { diffTree } from './answer-columns.ts'
import { joinTops } from './join-tops.ts'
import { ServerSource } from './server-source.ts'
import type { ComparisonSource, DiffRows, TreeAnswer, TreeOrder, TreeSource } from './profile-source.ts'

const NODES = 200_000

export type TraceSets = Pick<CompareTracesColumns, 'threshold' | 'slow' | 'fast'>

export class TraceComparison implements ComparisonSource {
  readonly key: string
  readonly before: TreeSource
  readonly after: TreeSource
  readonly #client: HearthClient
  readonly #request: CompareTracesRequest
  readonly #moment: number
  /** By order and scale: views ask for the same more than once. */
  readonly #answers = new Map<string, Promise<CompareTracesColumns>>()

  /** `moment` tells questions about `now` apart that are asked one after the other. */
  constructor(client: HearthClient, request: CompareTracesRequest, moment: number) {
    this.#client = client
    this.#request = request
    this.#moment = moment
    this.key = `traces:${moment}:${JSON.stringify(request)}`
    const side = (which: 'before' | 'after'): TreeSource => ({
      key: `${this.key}:${which}`,
      tree: async (order, signal) => oneSide(await this.tree(order, true, signal), which),
    })
    this.before = side('before')
    this.after = side('after')
  }

  async tree(order: TreeOrder, absolute: boolean, signal: AbortSignal): Promise<TreeAnswer> {
    return diffTree((await this.#ask(order, absolute, signal)).diff)
  }

  async rows(signal: AbortSignal): Promise<DiffRows> {
    const { tree } = await this.tree('root-first', true, signal)
    const top = topOfTree(tree)
    const joined = joinTops({ ...top, ...top.before }, top)
    return { ...joined, beforeObservations: undefined, afterObservations: undefined }
  }

  rooted(roots: readonly string[]): TraceComparison {
    if (roots.length === 0) return this
    return new TraceComparison(this.#client, { ...this.#request, root: roots.map(selectorKey) }, this.#moment)
  }

  /** Of all profiles of the service: those of the traces have none that these have not. */
  async attributes(signal: AbortSignal): Promise<readonly string[]> {
    const { profiles: type = '', service = '', from = EMPTY_QUERY.from, to = EMPTY_QUERY.to } = this.#request
    const query = { ...EMPTY_QUERY, type, service, from, to }
    return await new ServerSource(this.#client, query, this.#moment).attributes(signal)
  }

  /** Which traces are compared. */
  async sets(signal: AbortSignal): Promise<TraceSets> {
    const { threshold, slow, fast } = await this.#ask('root-first', false, signal)
    return { slow, fast, ...(threshold === undefined ? {} : { threshold }) }
  }

  async #ask(order: TreeOrder, absolute: boolean, signal: AbortSignal): Promise<CompareTracesColumns> {
    const key = `${order}:${absolute}`
    const known = this.#answers.get(key)
    if (known !== undefined) return await known
    const request = { ...this.#request, order, normalise: !absolute, nodes: NODES }
    const asked = this.#client.columns('compareTraces', request, { signal })
    this.#answers.set(key, asked)
    // What failed or was cancelled may be asked for again.
    asked.catch(() => this.#answers.delete(key))
    return await asked
  }
}

/** The tree with the values of one side alone, without what only the other has. */
function oneSide(answer: TreeAnswer, which: 'before' | 'after'): TreeAnswer {
  const { tree } = answer
  const values = which === 'after' ? tree : (tree.before ?? tree)
  const shown: CallTree = { ...tree, ...sideOf(values), before: undefined }
  return { ...answer, tree: shown }
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
