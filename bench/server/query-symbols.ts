// The part of a flame graph query after the sums: it reads the names of all stacks from the store and builds the merged tree.
// It calls the query engine's own parts without a server, because over HTTP this part cannot be measured alone. The peer is one
// SQL statement that joins stacks with their locations and functions.
import { join } from 'node:path'

export interface SymbolsReport {
  readonly stacks: number
  /** Milliseconds of the first run of the process, when code and the store's caches are cold too. */
  readonly first: number
  /** Milliseconds with no symbols in memory. */
  readonly cold: number
  readonly warm: number
  readonly joins: number
}

// The parts of the server that the benchmark uses. They are not exported, because only the benchmark needs them.
interface Block {
  readonly rows: number
  column(name: string): { readonly raw: Uint8Array }
}
interface Engine {
  select(sql: string): Promise<Block>
  close(): Promise<void>
}
interface Nodes {
  of(stacks: Int32Array): Int32Array
  readonly trie: object
  readonly frames: { readonly current: object }
}
interface Resident {
  readonly symbols: { load(running: object, ids: Int32Array): Promise<void>; numbers(ids: Int32Array): Int32Array }
  nodes(grouping: object, order: string): Nodes
}
interface Parts {
  openEmbedded(options: { readonly directory: string }): Promise<Engine>
  RunningQuery: new (engine: Engine, query: object) => object
  Residents: new (bytes: number) => { of(tenant: string): Resident }
  limitedTree(trie: object, side: object, frames: object, options: object): { readonly parent: Int32Array }
}

const TENANT = 'default'
const TIMES = 9

async function main(directory: string): Promise<SymbolsReport> {
  const parts = await serverParts()
  const engine = await parts.openEmbedded({ directory: join(directory, 'store') })
  try {
    const block = await engine.select(`SELECT DISTINCT id FROM stacks WHERE tenant = '${TENANT}'`)
    const { raw } = block.column('id')
    const ids = new Int32Array(raw.slice().buffer)
    const running = new parts.RunningQuery(engine, { tenant: TENANT, from: 0n, to: 2n ** 62n })
    const weight = new Float64Array(block.rows).fill(1)
    const merge = async (resident: Resident): Promise<number> => {
      const begun = performance.now()
      await resident.symbols.load(running, ids)
      const stacks = resident.symbols.numbers(ids)
      const nodes = resident.nodes({ by: 'function', inlined: true }, 'root-first')
      const side = { nodes: nodes.of(stacks), weight, exact: undefined }
      const options = { order: 'root-first', unit: 'ns', maxNodes: 16_384, sum: BigInt(stacks.length) }
      const tree = parts.limitedTree(nodes.trie, side, nodes.frames.current, options)
      if (tree.parent.length === 0) throw new Error('the tree is empty')
      return performance.now() - begun
    }
    const residents = (): Resident => new parts.Residents(2 ** 40).of(TENANT)
    const resident = residents()
    const first = await merge(resident)
    const cold: number[] = []
    const warm: number[] = []
    const joins: number[] = []
    for (let i = 0; i < TIMES; i++) cold.push(await merge(residents()))
    for (let i = 0; i < TIMES; i++) warm.push(await merge(resident))
    for (let i = 0; i < 3; i++) joins.push(await joined(engine, block.rows))
    return { stacks: block.rows, first, cold: median(cold), warm: median(warm), joins: median(joins) }
  } finally {
    await engine.close()
  }
}

/** Returns every stack as text, `main;run;gc`. Building the tree from it is not included. */
async function joined(engine: Engine, stacks: number): Promise<number> {
  const begun = performance.now()
  const tenant = `tenant = '${TENANT}'`
  const block = await engine.select(
    "SELECT stack, arrayStringConcat(arrayMap(x -> x.2, arraySort(groupArray((0 - place, name)))), ';') AS path FROM " +
      '(SELECT id AS stack, place, location FROM stacks FINAL ' +
      `ARRAY JOIN locations AS location, arrayEnumerate(locations) AS place WHERE ${tenant}) AS s ` +
      `JOIN (SELECT id, line_functions[1] AS function FROM locations FINAL WHERE ${tenant}) AS l ON l.id = s.location ` +
      `JOIN (SELECT id, name FROM functions FINAL WHERE ${tenant}) AS f ON f.id = l.function GROUP BY stack`,
  )
  if (block.rows !== stacks) throw new Error(`the statement returned ${block.rows} of ${stacks} stacks`)
  return performance.now() - begun
}

/** From the sources: the built server is one bundle. */
async function serverParts(): Promise<Parts> {
  const files = [
    'store/engines/embedded.ts',
    'query/query.ts',
    'query/resident/residents.ts',
    'query/trees/flame-graph.ts',
  ]
  const sources = new URL('../../../packages/server/src/', import.meta.url)
  const modules = await Promise.all(files.map(file => import(new URL(file, sources).href) as Promise<object>))
  return Object.assign({}, ...modules) as Parts
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[numbers.length >> 1]
}

process.send?.(await main(process.argv[2]))
process.disconnect?.()
