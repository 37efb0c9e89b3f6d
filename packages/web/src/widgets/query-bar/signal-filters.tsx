// Filters by attributes of spans, log records or data points, each with a button to remove it, and the form to add one.
import type { ComponentChildren, JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { Filter } from '../../address/query.ts'
import { Icon } from '../controls/icon.tsx'
import { Popover } from '../controls/popover.tsx'
import type { AttributeCompletion } from './attribute-completion.ts'
import { Chip, filterText } from './filter-chips.tsx'
import { FilterForm } from './filter-form.tsx'

export interface SignalFiltersProps {
  readonly filters: readonly Filter[]
  readonly onFilters: (filters: readonly Filter[]) => void
  readonly completion: AttributeCompletion
  /** Other filters, shown below the form. `close` closes the form. */
  readonly more?: (close: () => void) => ComponentChildren
}

export function SignalFilters({ filters, onFilters, completion, more }: SignalFiltersProps): JSX.Element {
  const [open, setOpen] = useState(false)
  return (
    <>
      {filters.map((filter, i) => (
        <Chip key={i} text={filterText(filter)} onRemove={() => onFilters(filters.toSpliced(i, 1))} />
      ))}
      <Popover
        open={open}
        onOpen={setOpen}
        title="Add filter"
        buttonClass="add-filter"
        label={
          <>
            <Icon name="plus" /> Filter
          </>
        }
      >
        <div class="popover-body">
          <FilterForm
            completion={completion}
            onAdd={filter => {
              setOpen(false)
              onFilters([...filters, filter])
            }}
          />
          {more?.(() => setOpen(false))}
        </div>
      </Popover>
    </>
  )
}
