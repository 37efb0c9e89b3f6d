// The form that adds a filter by attribute. It suggests the keys and values that the server has in the time range.
import type { AttributeValue } from '@hearth/client'
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { Filter, FilterOperator } from '../../address/query.ts'
import { FILTER_OPERATORS } from '../../address/query.ts'
import { useLoaded } from '../../state/use-loaded.ts'
import { Combo } from '../controls/combo.tsx'
import type { AttributeCompletion } from './attribute-completion.ts'

export interface FilterFormProps {
  readonly completion: AttributeCompletion
  readonly onAdd: (filter: Filter) => void
}

export function FilterForm({ completion, onAdd }: FilterFormProps): JSX.Element {
  const [key, setKey] = useState('')
  const [operator, setOperator] = useState<FilterOperator>('=')
  const [typed, setTyped] = useState('')
  const keys = useLoaded(`keys:${completion.key}`, signal => completion.keys(signal))
  const values = useLoaded(key === '' ? undefined : `values:${key}:${typed}:${completion.key}`, async signal => ({
    key,
    found: await completion.values(key, typed, signal),
  }))
  const found = values.value?.key === key ? values.value.found : []
  const takesValue = operator !== 'exists' && operator !== 'absent'
  return (
    <div class="filter-form">
      <Combo
        label="Attribute"
        value={key}
        placeholder="Attribute"
        free
        autoFocus
        options={(keys.value ?? []).map(each => ({ value: each.key, note: each.levels.join(', ') }))}
        onChoose={setKey}
        empty={keys.loading ? 'Loading…' : 'No attributes'}
      />
      <select
        aria-label="Operator"
        value={operator}
        onChange={event => setOperator(event.currentTarget.value as FilterOperator)}
      >
        {FILTER_OPERATORS.map(each => (
          <option key={each} value={each}>
            {each}
          </option>
        ))}
      </select>
      {takesValue ? (
        <Combo
          label="Value"
          value=""
          placeholder="Value"
          free
          options={found.map(each => ({ value: each.text, note: kindOf(each.value) }))}
          onType={setTyped}
          onChoose={value => {
            if (key !== '') onAdd({ key, operator, value })
          }}
          empty={key === '' ? 'Select an attribute first' : values.loading ? 'Loading…' : 'No values'}
        />
      ) : (
        <button type="button" class="primary" disabled={key === ''} onClick={() => onAdd({ key, operator, value: '' })}>
          Add
        </button>
      )}
    </div>
  )
}

/** Names the type of a value. Strings are the common case and have no name. */
function kindOf(value: AttributeValue): string {
  if (value.intValue !== undefined || value.doubleValue !== undefined) return 'number'
  return value.boolValue === undefined ? '' : 'boolean'
}
