// One more condition on an attribute: keys and values are completed out of what the server has in the time chosen.
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

const TITLES: Partial<Record<FilterOperator, string>> = { exists: 'is there', absent: 'is not there' }

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
        empty={keys.loading ? 'Looking…' : 'No attributes here'}
      />
      <select
        aria-label="Comparison"
        value={operator}
        onChange={event => setOperator(event.currentTarget.value as FilterOperator)}
      >
        {FILTER_OPERATORS.map(each => (
          <option key={each} value={each}>
            {TITLES[each] ?? each}
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
          empty={key === '' ? 'Choose an attribute first' : values.loading ? 'Looking…' : 'No values here'}
        />
      ) : (
        <button type="button" class="primary" disabled={key === ''} onClick={() => onAdd({ key, operator, value: '' })}>
          Add
        </button>
      )}
    </div>
  )
}

/** Texts are the rule and need no word. */
function kindOf(value: AttributeValue): string {
  if (value.intValue !== undefined || value.doubleValue !== undefined) return 'number'
  return value.boolValue === undefined ? '' : 'yes/no'
}
