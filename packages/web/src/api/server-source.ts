// Everything selected on the server, as a source of views.
import type { HearthClient } from '@hearth/client'
import { ApiError } from '@hearth/client'
import type { Query } from '../query.ts'
import { selectorOf } from '../query.ts'
import { diffTree, flameGraphTree, sandwichTrees, topColumns } from './answer-columns.ts'
import { joinTops } from './join-tops.ts'
import type {
  ComparisonSource,
  DiffRows,
  FrameName,
  ProfileSource,
  SandwichTrees,
  TopColumns,
  TreeAnswer,
  TreeOrder,
  WrittenFile,
} from './profile-source.ts'

/** More than a screen can show, few enough to arrive at once (24 bytes each); what is left out is told. */
const NODES = 200_000
const TOP_ROWS = 20_000
/** Of the list out of which observations are counted. */
const LISTED = 1000

export class ServerSource implements ProfileSource {
  readonly key: string
  readonly query: Query
  readonly #client: HearthClient

  /** `moment` tells questions about `now` apart that are asked one after the other. */
  constructor(client: HearthClient, query: Query, moment: number) {
    this.#client = client
    this.query = query
    this.key = `server:${moment}:${selectorOf(query)}:${query.from}:${query.to}`
  }

  async tree(order: TreeOrder, signal: AbortSignal): Promise<TreeAnswer> {
    const request = { ...this.#selection(), order, nodes: NODES }
    return flameGraphTree(await this.#client.columns('flameGraph', request, { signal }))
  }

  async top(signal: AbortSignal): Promise<TopColumns> {
    return topColumns(await this.#client.columns('top', { ...this.#selection(), limit: TOP_ROWS }, { signal }))
  }

  async lines(signal: AbortSignal): Promise<TopColumns> {
    const request = { ...this.#selection(), by: 'line', limit: TOP_ROWS } as const
    return topColumns(await this.#client.columns('top', request, { signal }))
  }

  async sandwich({ name, file }: FrameName, signal: AbortSignal): Promise<SandwichTrees | undefined> {
    const request = { ...this.#selection(), function: name, ...(file === '' ? {} : { file }), nodes: NODES }
    try {
      return sandwichTrees(await this.#client.columns('sandwich', request, { signal }))
    } catch (error) {
      if (error instanceof ApiError && error.code === 'not-found') return undefined
      throw error
    }
  }

  async write(format: string, signal: AbortSignal): Promise<WrittenFile> {
    return await this.#client.export({ ...this.#selection(), format }, { signal })
  }

  /** Of the latest profiles; undefined where there are none. Of more there are more, so what is judged by it is judged strictly. */
  async observations(signal: AbortSignal): Promise<number | undefined> {
    const { selector, from, to } = this.#selection()
    const { profiles: listed } = await this.#client.ask('profiles', { selector, from, to, limit: LISTED }, { signal })
    if (listed.length === 0) return undefined
    return listed.reduce((sum, row) => sum + row.observations, 0)
  }

  #selection(): { readonly selector: string; readonly from: string; readonly to: string } {
    const { from, to } = this.query
    return { selector: selectorOf(this.query), from, to }
  }
}

export class ServerComparison implements ComparisonSource {
  readonly key: string
  readonly before: ServerSource
  readonly after: ServerSource
  readonly #client: HearthClient

  constructor(client: HearthClient, before: Query, after: Query, moment: number) {
    this.#client = client
    this.before = new ServerSource(client, before, moment)
    this.after = new ServerSource(client, after, moment)
    this.key = `${this.before.key}|${this.after.key}`
  }

  async tree(order: TreeOrder, absolute: boolean, signal: AbortSignal): Promise<TreeAnswer> {
    const { query: before } = this.before
    const { query: after } = this.after
    const request = {
      selector: selectorOf(after),
      from: after.from,
      to: after.to,
      beforeSelector: selectorOf(before),
      beforeFrom: before.from,
      beforeTo: before.to,
      order,
      nodes: NODES,
      normalise: !absolute,
    }
    return diffTree(await this.#client.columns('diff', request, { signal }))
  }

  async rows(signal: AbortSignal): Promise<DiffRows> {
    const [before, after, beforeObservations, afterObservations] = await Promise.all([
      this.before.top(signal),
      this.after.top(signal),
      this.before.observations(signal),
      this.after.observations(signal),
    ])
    return { ...joinTops(before, after), beforeObservations, afterObservations }
  }
}
