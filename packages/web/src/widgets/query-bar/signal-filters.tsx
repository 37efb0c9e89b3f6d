// Conditions on attributes of spans or log records, each with a way to drop it, and the form for one more.
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
  /** Below the form: other ways to filter. `close` closes the form. */
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
        title="Add a filter"
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
