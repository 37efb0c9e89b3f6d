// The binaries whose code the selected profiles ran, by their share of samples, and what is known about their names.
import type { MappingIndex } from '@hearth/profile'
import { baseName, compareTexts } from '@hearth/profile'
import type { FoundBinary, UnresolvedReason } from '../../symbols/found-binary.ts'
import { QueryError } from '../query-error.ts'
import type { Query } from '../query.ts'
import { RunningQuery } from '../query.ts'
import type { QueryContext } from '../query-context.ts'
import type { Resident } from '../resident/residents.ts'
import type { MappingPlace } from '../resident/native-frames.ts'
import type { Selection } from '../select/selection.ts'
import { resolve } from '../select/selection.ts'
import { Values } from '../statement.ts'

export interface Binary {
  /** Without its folder. */
  readonly name: string
  readonly buildIds: MappingPlace['binary']['buildIds']
  /** Samples in the binary's own code: their innermost frame is in it. */
  readonly self: number
  /** Samples with any frame in it. */
  readonly total: number
  /** Distinct frames that were sent as addresses. */
  readonly addresses: number
  /** The addresses that have no name. */
  readonly unresolved: number
  readonly reason: UnresolvedReason | undefined
  readonly found: FoundBinary | undefined
}

export interface Binaries {
  /** All samples, whatever their type. A sample with timestamps counts once for each. */
  readonly samples: number
  /** The largest first. */
  readonly binaries: readonly Binary[]
}

export async function binaries(context: QueryContext, query: Query): Promise<Binaries> {
  const running = new RunningQuery(context.engine, query)
  const selection = await resolve(running)
  if (selection.bySpan) throw new QueryError('argument', 'binaries cannot be selected by trace or span')
  if (selection.series.length === 0) return { samples: 0, binaries: [] }
  const counted = await countByStack(selection)
  const resident = context.residents.of(running.tenant)
  await resident.symbols.load(running, counted.ids)
  const sums = sumByBinary(resident, resident.symbols.numbers(counted.ids), counted.samples)
  const found =
    (await context.names?.of(
      running.tenant,
      sums.map(({ place }) => place.binary),
    )) ?? []
  context.residents.trim()
  const rows = sums.map(({ place, self, total, addresses, unresolved, reason }, i): Binary => ({
    name: baseName(place.binary.filename),
    buildIds: place.binary.buildIds,
    self,
    total,
    addresses,
    unresolved,
    reason,
    found: found[i]?.found,
  }))
  return {
    samples: counted.samples.reduce((sum, samples) => sum + samples, 0),
    binaries: rows.sort((a, b) => b.total - a.total || b.self - a.self || (a.name < b.name ? -1 : 1)),
  }
}

interface CountedStacks {
  /** Two words per stack. */
  readonly ids: Int32Array
  readonly samples: Float64Array
}

async function countByStack(selection: Selection): Promise<CountedStacks> {
  const values = new Values()
  const counts =
    'if(empty(timestamp_counts), arrayMap(t -> 1, sample_stacks), arrayMap(n -> greatest(n, 1), timestamp_counts))'
  const rows =
    'SELECT series, attributes, stack, sample_set, observed FROM ' +
    `(SELECT series, attributes, sample_stacks, sample_attributes, ${counts} AS counts FROM profiles ` +
    `WHERE ${selection.rowsWhere(values)}) ` +
    'ARRAY JOIN sample_stacks AS stack, sample_attributes AS sample_set, counts AS observed'
  const block = await selection.running.selectLimited(
    `SELECT stack, sum(observed) AS samples FROM (${rows}) WHERE ${selection.samplesWhere(values)} GROUP BY stack`,
    values.all,
    'stacks',
  )
  const ids = new BigUint64Array(block.rows)
  const samples = new Float64Array(block.rows)
  for (let row = 0; row < block.rows; row++) {
    ids[row] = block.column('stack').bigint(row)
    samples[row] = Number(block.column('samples').bigint(row))
  }
  return { ids: new Int32Array(ids.buffer), samples }
}

interface BinarySum {
  readonly place: MappingPlace
  self: number
  total: number
  addresses: number
  unresolved: number
  reason: UnresolvedReason | undefined
  /** The last stack that was counted. */
  counted: number
}

function sumByBinary({ symbols }: Resident, stacks: Int32Array, samples: Float64Array): readonly BinarySum[] {
  const { native, dictionary, stackEnds, stackLocations } = symbols
  const { locations } = dictionary
  const byKey = new Map<string, BinarySum>()
  /** By row of mappings. One binary may be mapped at several places. */
  const byMapping = new Map<number, BinarySum | undefined>()
  const sumOf = (mapping: MappingIndex): BinarySum | undefined => {
    if (byMapping.has(mapping)) return byMapping.get(mapping)
    const place = native.place(mapping)
    const sum = place === undefined || isEmpty(place) ? undefined : merged(byKey, place)
    byMapping.set(mapping, sum)
    return sum
  }
  const seen = new Uint8Array(locations.length)
  for (const [s, stack] of stacks.entries()) {
    const from = stack === 0 ? 0 : stackEnds[stack - 1]
    for (let k = from; k < stackEnds[stack]; k++) {
      const location = stackLocations[k]
      const sum = sumOf(locations.mapping(location as never))
      if (sum === undefined) continue
      if (k === from) sum.self += samples[s]
      if (sum.counted !== s) {
        sum.counted = s
        sum.total += samples[s]
      }
      if (seen[location] !== 0) continue
      seen[location] = 1
      const reason = native.reason(location)
      if (reason !== undefined || native.isNamed(location)) sum.addresses++
      if (reason === undefined) continue
      sum.unresolved++
      sum.reason ??= reason
    }
  }
  return [...byKey.values()]
}

function isEmpty({ binary }: MappingPlace): boolean {
  return binary.filename === '' && Object.keys(binary.buildIds).length === 0
}

function merged(byKey: Map<string, BinarySum>, place: MappingPlace): BinarySum {
  const { filename, buildIds } = place.binary
  const key = JSON.stringify([baseName(filename), Object.values(buildIds).sort(compareTexts)])
  let sum = byKey.get(key)
  if (sum === undefined) {
    sum = { place, self: 0, total: 0, addresses: 0, unresolved: 0, reason: undefined, counted: -1 }
    byKey.set(key, sum)
  }
  return sum
}
