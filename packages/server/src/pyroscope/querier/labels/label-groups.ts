// Which labels points are grouped by, and what the query engine calls them.
import type { AnyValue } from '@hearth/profile'
import type { Query } from '../../../query/query.ts'
import { printMatcher } from '../../../query/selector/print-selector.ts'
import { Code, Refusal } from '../../../receive/refusal.ts'
import { bytesOfValue } from '../../../store/attribute-text.ts'
import type { Engine } from '../../../store/engine.ts'
import { isTypeLabel, originalsOf } from './label-names.ts'
import type { PyroscopeType } from '../profile-type.ts'
import { typeLabel } from '../profile-type.ts'
import type { Labels } from './stored-labels.ts'

/** As many as the engine groups by. */
const MOST_KEYS = 8

export class LabelGroups {
  readonly labels: readonly string[]
  /** Attributes as selectors spell them, for the engine's groupBy. */
  readonly keys: readonly string[]
  readonly #type: PyroscopeType
  /** For each label the places of its attributes in `keys`. */
  readonly #places: ReadonlyMap<string, readonly number[]>

  static async of(
    engine: Engine,
    question: Query,
    type: PyroscopeType,
    labels: readonly string[],
  ): Promise<LabelGroups> {
    const distinct = [...new Set(labels)].filter(label => label !== '')
    return new LabelGroups(type, distinct, await originalsOf(engine, question, distinct))
  }

  constructor(type: PyroscopeType, labels: readonly string[], originals: ReadonlyMap<string, readonly string[]>) {
    const keys: string[] = []
    const places = new Map<string, number[]>()
    for (const label of labels) {
      const own = (originals.get(label) ?? []).map(key => keys.push(spelled(key)) - 1)
      places.set(label, own)
    }
    if (keys.length > MOST_KEYS)
      throw new Refusal(400, Code.invalidArgument, 'query', `group_by: ${keys.length} attributes; at most ${MOST_KEYS}`)
    this.labels = labels
    this.keys = keys
    this.#type = type
    this.#places = places
  }

  /** The labels of a group by the values of `keys`. Those without a value are left out. */
  named(values: readonly AnyValue[]): Labels {
    return this.#collect(label => {
      const place = (this.#places.get(label) ?? []).find(each => values[each] !== undefined)
      return place === undefined ? undefined : Buffer.from(bytesOfValue(values[place])).toString('utf8')
    })
  }

  /** The same of what has these labels. */
  chosen(labels: Labels): Labels {
    return this.#collect(label => labels.get(label))
  }

  #collect(valueOf: (label: string) => string | undefined): Labels {
    const found = new Map<string, string>()
    for (const label of this.labels) {
      const value = isTypeLabel(label) ? typeLabel(this.#type, label) : valueOf(label)
      if (value !== undefined && value !== '') found.set(label, value)
    }
    return found
  }
}

function spelled(key: string): string {
  return printMatcher({ kind: 'presence', present: true, level: undefined, key, position: 0 })
}

/** Equal for equal labels, and what they are sorted by. */
export function labelsKey(labels: Labels): string {
  const sorted = [...labels].sort(([a], [b]) => (a < b ? -1 : 1))
  return sorted.map(([name, value]) => `${name}=${JSON.stringify(value)} `).join('')
}
