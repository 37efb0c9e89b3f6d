// The form that adds a filter by function: keeps or hides the stacks in which the function occurs.
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { StackFilter } from '../../address/query.ts'

export function StackFilterForm({ onAdd }: { readonly onAdd: (filter: StackFilter) => void }): JSX.Element {
  const [filter, setFilter] = useState<StackFilter>({ negated: false, place: 'frame', regex: false, name: '' })
  const submit = (event: Event): void => {
    event.preventDefault()
    if (filter.name !== '') onAdd(filter)
  }
  return (
    <form class="filter-form" onSubmit={submit}>
      <select
        aria-label="Show or hide"
        value={filter.negated ? 'without' : 'with'}
        onChange={event => setFilter({ ...filter, negated: event.currentTarget.value === 'without' })}
      >
        <option value="with">Show stacks</option>
        <option value="without">Hide stacks</option>
      </select>
      <select
        aria-label="Position in the stack"
        value={filter.place}
        onChange={event => setFilter({ ...filter, place: event.currentTarget.value as StackFilter['place'] })}
      >
        <option value="frame">that contain</option>
        <option value="leaf">whose leaf is</option>
        <option value="from">whose root is</option>
      </select>
      <input
        type="text"
        aria-label="Function"
        placeholder="Function"
        spellcheck={false}
        value={filter.name}
        onInput={event => setFilter({ ...filter, name: event.currentTarget.value })}
      />
      <label>
        <input
          type="checkbox"
          checked={filter.regex}
          onChange={event => setFilter({ ...filter, regex: event.currentTarget.checked })}
        />
        Regex
      </label>
      <button type="submit" class="primary" disabled={filter.name === ''}>
        Add
      </button>
    </form>
  )
}
