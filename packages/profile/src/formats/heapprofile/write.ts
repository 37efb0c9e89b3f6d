// Writes one profile as a .heapprofile, which DevTools opens in its Memory panel.
import { NONE } from '../../model/columns/brand.ts'
import { MAX_INT64, MIN_INT64 } from '../../model/columns/int64.ts'
import type { Profiles } from '../../model/columns/profiles.ts'
import { ATTRIBUTES } from '../../model/attributes/semantic-conventions.ts'
import { compareLongs } from '../../model/columns/order.ts'
import { JsonWriter } from '../../wire/json/json-writer.ts'
import { SCOPE_NAME } from '../cpuprofile/attribute-names.ts'
import { findType } from '../cpuprofile/choose-profiles.ts'
import { NodeTree, writeCallFrame } from '../cpuprofile/node-tree.ts'
import type { WriteOptions, WriteResult } from '../format.ts'
import { NoteList } from '../format.ts'
import { ORDINAL, SAMPLES_TYPE, UNIT } from './attribute-names.ts'
import { countLosses } from './count-losses.ts'

export function writeHeapprofile(payload: Profiles, options: WriteOptions = {}): WriteResult {
  const notes = new NoteList()
  const { profiles, samples } = payload
  const main = profiles.length === 0 ? NONE : options.type === undefined ? 0 : findType(payload, options.type)
  const allocations = samplesOf(payload, main)
  const tree = new NodeTree(payload.dictionary, [ATTRIBUTES.v8ScriptId])
  const sizes: (bigint | undefined)[] = []
  if (main !== NONE) {
    for (let i = profiles.samplesFrom(main); i < profiles.samplesTo(main); i++) {
      const { node } = tree.position(samples.stack(i))
      sizes[node] = (sizes[node] ?? 0n) + samples.total(i)
    }
  }
  for (const [node, size] of sizes.entries()) {
    if (size === undefined || BigInt.asIntN(64, size) === size) continue
    sizes[node] = size < 0n ? MIN_INT64 : MAX_INT64
    notes.add('clamped-values', 'sums beyond 64 bits are written as the largest 64-bit number')
  }
  const rows: { node: number; size: bigint; ordinal: bigint }[] = []
  if (allocations !== NONE) {
    for (let i = profiles.samplesFrom(allocations); i < profiles.samplesTo(allocations); i++) {
      const { node } = tree.position(samples.stack(i))
      rows.push({ node, size: samples.total(i), ordinal: ordinalOf(payload, i) ?? 0n })
    }
    rows.sort((a, b) => compareLongs(a.ordinal, b.ordinal))
  }
  countLosses(payload, main, allocations, tree, notes)
  const json = new JsonWriter({ indent: options.pretty === true ? 2 : 0 })
  json.beginObject()
  json.key('head')
  writeTree(json, tree, sizes)
  if (rows.length > 0) {
    json.key('samples')
    json.beginArray()
    for (const { node, size, ordinal } of rows) {
      json.beginObject()
      json.key('size')
      json.raw(String(size))
      json.key('nodeId')
      json.number(node + 1)
      json.key('ordinal')
      json.raw(String(ordinal))
      json.endObject()
    }
    json.endArray()
  }
  json.endObject()
  return { bytes: json.finish(), notes: notes.list() }
}

/** Not recursive, because stacks may be deeper than JavaScript's. */
function writeTree(json: JsonWriter, tree: NodeTree, sizes: readonly (bigint | undefined)[]): void {
  const { starts, list } = tree.children()
  const next = starts.slice()
  const open = [0]
  begin(json, tree, 0, sizes)
  for (let node = open.at(-1); node !== undefined; node = open.at(-1)) {
    if (next[node] < starts[node + 1]) {
      const child = list[next[node]++]
      begin(json, tree, child, sizes)
      open.push(child)
    } else {
      json.endArray()
      json.endObject()
      open.pop()
    }
  }
}

function begin(json: JsonWriter, tree: NodeTree, node: number, sizes: readonly (bigint | undefined)[]): void {
  json.beginObject()
  json.key('callFrame')
  writeCallFrame(json, tree.frame(node))
  json.key('selfSize')
  json.raw(String(sizes[node] ?? 0n))
  json.key('id')
  json.number(node + 1)
  json.key('children')
  json.beginArray()
}

/** The sampled allocations beside a profile that was read from V8. */
function samplesOf({ profiles, scopes, samples, dictionary: { strings } }: Profiles, main: number): number {
  if (main === NONE) return NONE
  let scope = 0
  while (scopes.to(scope) <= main) scope++
  const next = main + 1
  if (next >= scopes.to(scope) || scopes.scope(scope).name !== SCOPE_NAME) return NONE
  const isOurs = strings.text(profiles.type(next)) === SAMPLES_TYPE && strings.text(profiles.unit(next)) === UNIT
  if (!isOurs) return NONE
  for (let i = profiles.samplesFrom(next); i < profiles.samplesTo(next); i++) {
    if (samples.timestampsTo(i) > samples.timestampsFrom(i)) return NONE
  }
  return next
}

function ordinalOf({ samples, dictionary: { strings, attributes } }: Profiles, sample: number): bigint | undefined {
  for (const row of samples.attributesOf(sample)) {
    if (strings.text(attributes.key(row)) !== ORDINAL) continue
    const value = attributes.value(row)
    if (typeof value === 'bigint') return value
  }
  return undefined
}
