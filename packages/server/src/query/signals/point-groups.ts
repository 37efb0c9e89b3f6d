// Groups data points by attributes: their own first, then those of the scope and of the resource.
import type { AnyValue } from '@hearth/profile'
import type { Block } from '../../store/native/block.ts'
import type { AttributeKey } from '../select/attribute-key.ts'
import { attributeKey } from '../select/attribute-key.ts'
import type { KnownValue, ValuesById } from '../select/attribute-values.ts'
import { ValuePool, storedResourceValues, storedScopeValues } from '../select/attribute-values.ts'
import { QueryError } from '../query-error.ts'
import type { RunningQuery } from '../query.ts'
import { labelText } from '../select/series-grouping.ts'
import type { SeriesRow } from '../select/series-rows.ts'
import type { Values } from '../statement.ts'

export function groupKeys(names: readonly string[]): readonly AttributeKey[] {
  return names.map(name => {
    const key = attributeKey(name)
    if (key.level === 'profile' || key.level === 'sample') {
      throw new QueryError('argument', `data points have no ${key.level} attributes`)
    }
    return key
  })
}

/** An expression for the kind and value of the point's own attribute for each key; empty if absent. */
export function ownLabels(values: Values, keys: readonly AttributeKey[]): string {
  const labels = keys.map(({ key, level, builtIn }) => {
    if (level !== undefined || builtIn !== undefined) return "''"
    const at = `indexOf(attribute_keys, ${values.text(key)})`
    return `if(${at} = 0, '', concat(toString(attribute_kinds[${at}]), ' ', attribute_values[${at}]))`
  })
  return labels.length === 0 ? 'emptyArrayString()' : `[${labels.join(', ')}]`
}

/** The key of a group. */
export function groupText(labels: readonly AnyValue[]): string {
  return JSON.stringify(labels, (_, value: unknown) => {
    if (typeof value === 'bigint') return `${value}n`
    return typeof value === 'number' && !Number.isFinite(value) ? String(value) : value
  })
}

/** The groups of rows with `resource`, `scope` and `labels`. */
export class PointGroups<Content> {
  readonly #running: RunningQuery
  readonly #keys: readonly AttributeKey[]
  readonly #make: () => Content
  readonly #pool = new ValuePool()
  #resources: readonly ValuesById[] = []
  #scopes: readonly ValuesById[] = []
  readonly #groups = new Map<string, { readonly labels: readonly AnyValue[]; readonly content: Content }>()

  constructor(running: RunningQuery, keys: readonly AttributeKey[], make: () => Content) {
    this.#running = running
    this.#keys = keys
    this.#make = make
  }

  /** To be called before the rows of these blocks are used. */
  async load(blocks: readonly Block[]): Promise<void> {
    const rows = blocks.flatMap(block => containersIn(block))
    const maps = await Promise.all(
      this.#keys.map(async key => [
        await storedResourceValues(this.#running, key, rows, this.#pool),
        await storedScopeValues(this.#running, key, rows, this.#pool),
      ]),
    )
    this.#resources = maps.map(([resources]) => resources)
    this.#scopes = maps.map(([, scopes]) => scopes)
  }

  at(block: Block, row: number): Content {
    const own = block.column('labels')
    const resource = block.column('resource').bigint(row)
    const scope = block.column('scope').bigint(row)
    const labels = this.#keys.map((_, k): KnownValue | undefined => {
      const bytes = own.values.bytes(own.from(row) + k)
      if (bytes.length === 0) return this.#scopes[k].get(scope) ?? this.#resources[k].get(resource)
      const space = bytes.indexOf(32)
      return this.#pool.add(Number(Buffer.from(bytes.subarray(0, space)).toString()), bytes.subarray(space + 1))
    })
    const text = labelText(labels)
    let group = this.#groups.get(text)
    if (group === undefined) {
      group = { labels: labels.map(label => label?.value), content: this.#make() }
      this.#groups.set(text, group)
    }
    return group.content
  }

  /** Sorted by their labels. */
  get all(): readonly { readonly labels: readonly AnyValue[]; readonly content: Content }[] {
    return [...this.#groups].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, group]) => group)
  }
}

function containersIn(block: Block): SeriesRow[] {
  const seen = new Map<string, SeriesRow>()
  for (let row = 0; row < block.rows; row++) {
    const [resource, scope] = [block.column('resource').bigint(row), block.column('scope').bigint(row)]
    const rest = { id: 0n, service: '', type: '', unit: '', periodType: '', periodUnit: '' }
    seen.set(`${resource} ${scope}`, { ...rest, resource, scope })
  }
  return [...seen.values()]
}
