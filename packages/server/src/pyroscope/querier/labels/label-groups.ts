// The labels by which points are grouped, and the query engine's attribute keys for them.
import type { AnyValue } from '@hearth/profile'
import type { Query } from '../../../query/query.ts'
import { printKey } from '../../../query/selector/print-key.ts'
import { Code, Refusal } from '../../../receive/refusal.ts'
import { bytesOfValue } from '../../../store/attribute-text.ts'
import type { ReadEngine } from '../../../store/engine.ts'
import { isTypeLabel, originalsOf } from './label-names.ts'
import type { PyroscopeType } from '../profile-type.ts'
import { typeLabel } from '../profile-type.ts'
import type { LabelMap } from './stored-labels.ts'

/** The maximum number of keys in the engine's groupBy. */
const MAX_KEYS = 8

export class LabelGroups {
  readonly labels: readonly string[]
  /** Attributes in the spelling of selectors, for the engine's groupBy. */
  readonly keys: readonly string[]
  readonly #type: PyroscopeType
  /** For each label the indexes of its attributes in `keys`. */
  readonly #places: ReadonlyMap<string, readonly number[]>

  static async of(
    engine: ReadEngine,
    query: Query,
    type: PyroscopeType,
    labels: readonly string[],
  ): Promise<LabelGroups> {
    const distinct = [...new Set(labels)].filter(label => label !== '')
    return new LabelGroups(type, distinct, await originalsOf(engine, query, distinct))
  }

  constructor(type: PyroscopeType, labels: readonly string[], originals: ReadonlyMap<string, readonly string[]>) {
    const keys: string[] = []
    const places = new Map<string, number[]>()
    for (const label of labels) {
      const own = (originals.get(label) ?? []).map(key => keys.push(printKey({ key })) - 1)
      places.set(label, own)
    }
    if (keys.length > MAX_KEYS)
      throw new Refusal(400, Code.invalidArgument, 'query', `group_by: ${keys.length} attributes; at most ${MAX_KEYS}`)
    this.labels = labels
    this.keys = keys
    this.#type = type
    this.#places = places
  }

  /** The labels of a group by the values of `keys`, without labels that have no value. */
  named(values: readonly AnyValue[]): LabelMap {
    return this.#collect(label => {
      const place = (this.#places.get(label) ?? []).find(each => values[each] !== undefined)
      return place === undefined ? undefined : Buffer.from(bytesOfValue(values[place])).toString('utf8')
    })
  }

  /** The grouped labels among all labels of an item. */
  chosen(labels: LabelMap): LabelMap {
    return this.#collect(label => labels.get(label))
  }

  #collect(valueOf: (label: string) => string | undefined): LabelMap {
    const found = new Map<string, string>()
    for (const label of this.labels) {
      const value = isTypeLabel(label) ? typeLabel(this.#type, label) : valueOf(label)
      if (value !== undefined && value !== '') found.set(label, value)
    }
    return found
  }
}

/** Equal for equal labels. Also the sort key. */
export function labelsKey(labels: LabelMap): string {
  const sorted = [...labels].sort(([a], [b]) => (a < b ? -1 : 1))
  return sorted.map(([name, value]) => `${name}=${JSON.stringify(value)} `).join('')
}
