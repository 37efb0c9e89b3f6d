// The filters of a query, each with a button to remove it, and the form to add one.
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { Filter, Query, StackFilter } from '../../address/query.ts'
import { Icon } from '../controls/icon.tsx'
import { Popover } from '../controls/popover.tsx'
import { profileCompletion } from './attribute-completion.ts'
import { FilterForm } from './filter-form.tsx'
import { StackFilterForm } from './stack-filter-form.tsx'
import { Tabs } from '../controls/tabs.tsx'

export interface FilterChipsProps {
  readonly query: Query
  readonly onQuery: (query: Query) => void
  readonly name: string
  /** The time of the load. */
  readonly now: number
}

export function FilterChips({ query, onQuery, name, now }: FilterChipsProps): JSX.Element {
  const [open, setOpen] = useState(false)
  const [kind, setKind] = useState<'attribute' | 'frame'>('attribute')
  const { filters, stacks } = query
  const add = (change: Partial<Query>): void => {
    setOpen(false)
    onQuery({ ...query, ...change })
  }
  return (
    <>
      {filters.map((filter, i) => (
        <Chip
          key={`filter-${i}`}
          text={filterText(filter)}
          onRemove={() => onQuery({ ...query, filters: filters.toSpliced(i, 1) })}
        />
      ))}
      {stacks.map((stack, i) => (
        <Chip
          key={`stack-${i}`}
          text={stackText(stack)}
          onRemove={() => onQuery({ ...query, stacks: stacks.toSpliced(i, 1) })}
        />
      ))}
      <Popover
        open={open}
        onOpen={setOpen}
        title={`${name}Add filter`}
        buttonClass="add-filter"
        label={
          <>
            <Icon name="plus" /> Filter
          </>
        }
      >
        <div class="popover-body">
          <div class="filter-tabs">
            <Tabs
              label="Filter by"
              options={[
                { value: 'attribute', title: 'Attribute' },
                { value: 'frame', title: 'Function' },
              ]}
              value={kind}
              onChange={setKind}
            />
          </div>
          {kind === 'attribute' ? (
            <FilterForm
              completion={profileCompletion(query, now)}
              onAdd={filter => add({ filters: [...filters, filter] })}
            />
          ) : (
            <StackFilterForm onAdd={stack => add({ stacks: [...stacks, stack] })} />
          )}
        </div>
      </Popover>
    </>
  )
}

export function Chip({ text, onRemove }: { readonly text: string; readonly onRemove: () => void }): JSX.Element {
  return (
    <span class="chip" title={text}>
      <span>{text}</span>
      <button type="button" aria-label={`Remove filter ${text}`} onClick={onRemove}>
        <Icon name="close" size={12} />
      </button>
    </span>
  )
}

export function filterText({ key, operator, value }: Filter): string {
  return operator === 'exists' || operator === 'absent' ? `${key} ${operator}` : `${key} ${operator} ${value}`
}

const POSITIONS = { frame: 'stack contains', from: 'root is', leaf: 'leaf is' } as const

function stackText({ negated, place, regex, name }: StackFilter): string {
  return `${negated ? 'not: ' : ''}${POSITIONS[place]} ${regex ? `/${name}/` : name}`
}
