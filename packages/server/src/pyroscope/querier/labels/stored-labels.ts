// The labels of stored resources, scopes and profiles, under the names of Pyroscope's clients.
import { ValueKind } from '@hearth/profile'
import type { HeldAttributes } from '../../../query/catalog/held-attributes.ts'
import type { RunningQuery } from '../../../query/query.ts'
import type { SeriesRow } from '../../../query/select/series-rows.ts'
import { MAX_IDS, Values } from '../../../query/statement.ts'
import { labelName } from './label-names.ts'

export type LabelMap = ReadonlyMap<string, string>

export const NO_LABELS: LabelMap = new Map()

type Table = 'resources' | 'scopes' | 'attribute_sets'

/**
 * Labels by id. If several attributes have one label, the attribute with the label's name counts, otherwise the first
 * by name.
 */
export async function labelsIn(
  running: RunningQuery,
  table: Table,
  ids: Iterable<bigint>,
): Promise<Map<bigint, LabelMap>> {
  const wanted = [...new Set(ids)].filter(id => id !== 0n)
  const catalog = await running.catalog()
  if (catalog !== undefined && table !== 'attribute_sets')
    return new Map(wanted.map(id => [id, labelsOfAttributes(catalog[table].get(id))]))
  const [keys, kinds, texts] =
    table === 'attribute_sets' ? ['keys', 'kinds', 'values'] : ['attribute_keys', 'attribute_kinds', 'attribute_values']
  const found = new Map<bigint, LabelMap>()
  for (let from = 0; from < wanted.length; from += MAX_IDS) {
    const values = new Values()
    const block = await running.selectSymbols(
      table,
      `SELECT id, ${keys} AS k, ${kinds} AS t, ${texts} AS v FROM ${table} ` +
        `WHERE tenant = ${values.text(running.tenant)} AND id IN ${values.ids(wanted.slice(from, from + MAX_IDS))}`,
      values.all,
    )
    for (let row = 0; row < block.rows; row++) {
      const column = block.column('k')
      const attributes: (readonly [key: string, text: string])[] = []
      for (let k = column.from(row); k < column.to(row); k++) {
        const text = labelText(block.column('t').values.number(k), block.column('v').values.bytes(k))
        if (text !== '') attributes.push([column.values.text(k), text])
      }
      found.set(block.column('id').bigint(row), namedLabels(attributes))
    }
  }
  return found
}

export function labelsOfAttributes(attributes: HeldAttributes | undefined): LabelMap {
  if (attributes === undefined) return NO_LABELS
  const texts = attributes.keys.map((key, k) => [key, labelText(attributes.kinds[k], attributes.values[k])] as const)
  return namedLabels(texts.filter(([, text]) => text !== ''))
}

function namedLabels(attributes: readonly (readonly [key: string, text: string])[]): LabelMap {
  const labels = new Map<string, string>()
  const own = (key: string) => (labelName(key) === key ? 0 : 1)
  const sorted = attributes.toSorted(([a], [b]) => own(a) - own(b) || (a < b ? -1 : 1))
  for (const [key, text] of sorted) {
    const name = labelName(key)
    if (name !== undefined && !labels.has(name)) labels.set(name, text)
  }
  return labels
}

function labelText(kind: number, bytes: Uint8Array): string {
  const encoding = kind === ValueKind.bytes ? 'base64' : 'utf8'
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString(encoding)
}

/** The labels that all profiles of a series have. Attributes of the scope override those of the resource. */
export async function labelsOfSeries(
  running: RunningQuery,
  series: readonly SeriesRow[],
): Promise<Map<bigint, LabelMap>> {
  const resources = await labelsIn(
    running,
    'resources',
    series.map(row => row.resource),
  )
  const scopes = await labelsIn(
    running,
    'scopes',
    series.map(row => row.scope),
  )
  return new Map(
    series.map(row => [
      row.id,
      new Map([...(resources.get(row.resource) ?? NO_LABELS), ...(scopes.get(row.scope) ?? NO_LABELS)]),
    ]),
  )
}
