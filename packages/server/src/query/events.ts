// Single observations of a range, thread by thread, for timelines: when, on which stack, how much.
import type { AnyValue } from '@hearth/profile'
import type { AnswerFrame } from './answer-frames.ts'
import { answerFrames } from './answer-frames.ts'
import { attributeKey } from './attribute-key.ts'
import type { KnownValue } from './attribute-values.ts'
import { ValuePool, setValues } from './attribute-values.ts'
import type { FrameChoice } from './flame-graph.ts'
import { groupingOf } from './flame-graph.ts'
import { measure } from './measure.ts'
import { LOOK_BACK, observationsFrom } from './observations-sql.ts'
import { QueryError } from './query-error.ts'
import type { Question } from './question.ts'
import { Asking } from './question.ts'
import { StackTree } from './resident/frame-paths.ts'
import { resolve } from './selection.ts'
import type { StackSums } from './stack-sums.ts'
import { longsOf, wordsOf } from './stack-sums.ts'
import { Values } from './statement.ts'
import type { Measured, Missing, Workshop } from './weights.ts'
import { NOTHING_MISSING, measuredOf, missingOf } from './weights.ts'

export interface Events extends Measured {
  readonly threads: readonly Thread[]
  readonly length: number
  /** Row in `threads`; events are ordered by thread and time. */
  readonly thread: Uint32Array
  /** Nanoseconds since 1970. */
  readonly time: BigInt64Array
  readonly value: BigInt64Array
  /** The node in which the event's stack ends. */
  readonly node: Int32Array
  /** Nodes of the stacks, root first: the parent of each (-1 for roots), and its row in `frames`. */
  readonly parent: Int32Array
  readonly frame: Uint32Array
  readonly frames: readonly AnswerFrame[]
  readonly missing: Missing
}

export interface Thread {
  readonly service: string
  /** Id of the resource: threads of different processes may have the same id and name. */
  readonly resource: bigint
  /** thread.id; undefined where samples do not say. */
  readonly id: AnyValue
  /** thread.name. */
  readonly name: AnyValue
}

/** Throws QueryError for more than the question's maxRows: take a shorter range. */
export async function events(workshop: Workshop, question: Question, choice: FrameChoice): Promise<Events> {
  const { from, to } = new Asking(workshop.engine, question)
  const asking = new Asking(workshop.engine, { ...question, from: from > LOOK_BACK ? from - LOOK_BACK : 0n })
  const selection = await resolve(asking)
  const measured = await measure(selection, workshop.temporalities)
  if (measured.factors.size > 0) throw new QueryError('mixed-units', 'events in several units; name one')
  const values = new Values()
  const block = await asking.selectLimited(
    `SELECT series, stack, sample_set, toInt64(at) AS time, value ${observationsFrom(selection, values, from, to)} ORDER BY time`,
    values.all,
    'events',
  )
  const pool = new ValuePool()
  const [ids, names] = await Promise.all([
    setValues(asking, attributeKey('thread.id'), pool),
    setValues(asking, attributeKey('thread.name'), pool),
  ])
  const seriesById = new Map(selection.series.map(row => [row.id, row]))
  const threads: Thread[] = []
  const numbers = new Map<string, number>()
  const threadAt = (row: number): number => {
    const series = seriesById.get(block.column('series').bigint(row))
    const set = block.column('sample_set').bigint(row)
    const [id, name] = [ids.get(set), names.get(set)]
    const key = JSON.stringify([String(series?.resource), textOf(id), textOf(name)])
    let number = numbers.get(key)
    if (number === undefined) {
      const { service = '', resource = 0n } = series ?? {}
      number = threads.push({ service, resource, id: id?.value, name: name?.value }) - 1
      numbers.set(key, number)
    }
    return number
  }
  const threadOf = Uint32Array.from({ length: block.rows }, (_, row) => threadAt(row))
  // Stable, so that events of a thread stay in the order of time.
  const order = Array.from({ length: block.rows }, (_, row) => row).sort((a, b) => threadOf[a] - threadOf[b])
  const stacks = block.rows === 0 ? new Int32Array(0) : wordsOf(block.column('stack').raw)
  const times = block.rows === 0 ? new BigInt64Array(0) : longsOf(block.column('time').raw)
  const amounts = block.rows === 0 ? new BigInt64Array(0) : longsOf(block.column('value').raw)
  const resident = workshop.residents.of(asking.tenant)
  await resident.symbols.load(asking, stacks)
  const paths = resident.paths(groupingOf(choice))
  const { frames } = paths
  const tree = new StackTree()
  const nodeAt = (row: number): number => {
    const length = paths.read(resident.symbols.stack(stacks[2 * row], stacks[2 * row + 1]), frames)
    return tree.trie.insert(paths.path, 0, length)
  }
  const node = Int32Array.from(order, nodeAt)
  const { parents, frames: nodeFrames } = tree.trie
  workshop.residents.trim()
  return {
    ...measuredOf(measured),
    threads,
    length: block.rows,
    missing: resident.symbols.isWhole ? NOTHING_MISSING : missingOf(resident, weighed(stacks, amounts)),
    thread: Uint32Array.from(order, row => threadOf[row]),
    time: BigInt64Array.from(order, row => times[row]),
    value: BigInt64Array.from(order, row => amounts[row]),
    node,
    parent: parents.array.slice(0, tree.trie.length),
    ...answerFrames(frames, Uint32Array.from(nodeFrames.array.subarray(0, tree.trie.length))),
  }
}

function weighed(ids: Int32Array, exact: BigInt64Array): Pick<StackSums, 'ids' | 'weight' | 'exact'> {
  return { ids, weight: Float64Array.from(exact, Number), exact }
}

function textOf(value: KnownValue | undefined): string {
  return value === undefined ? '' : `${value.kind} ${value.text}`
}
