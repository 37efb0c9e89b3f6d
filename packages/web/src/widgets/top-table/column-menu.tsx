// The choice of columns of a table of functions, and its export.
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { stored } from '../../state/stored.ts'
import { Icon } from '../controls/icon.tsx'
import { Popover } from '../controls/popover.tsx'
import { fileName, saveFile } from '../controls/save-file.ts'
import { COLUMN_TITLES, DEFAULT_TABLE_COLUMNS, TABLE_COLUMNS, chosenColumns, toggledColumn } from './table-rows.ts'

export const columnChoice = stored('table.columns', DEFAULT_TABLE_COLUMNS)

export interface ColumnMenuProps {
  /** Whether values over time are known. */
  readonly hasSpark: boolean
  readonly csv: () => string
  /** The name of the saved file. */
  readonly name: string
}

export function ColumnMenu({ hasSpark, csv, name }: ColumnMenuProps): JSX.Element {
  const [open, setOpen] = useState(false)
  const chosen = chosenColumns(columnChoice.value)
  return (
    <Popover
      open={open}
      onOpen={setOpen}
      align="right"
      label={<Icon name="columns" />}
      title="Columns and CSV"
      buttonClass="icon"
    >
      <div class="popover-body view-options">
        {TABLE_COLUMNS.filter(each => each !== 'spark' || hasSpark).map(each => (
          <label key={each}>
            <input
              type="checkbox"
              checked={chosen.includes(each)}
              onChange={() => (columnChoice.value = toggledColumn(columnChoice.value, each))}
            />
            {COLUMN_TITLES[each]}
          </label>
        ))}
        <button type="button" onClick={() => saveFile(`${fileName(name)}.csv`, csv())}>
          <Icon name="download" /> Save as CSV
        </button>
      </div>
    </Popover>
  )
}
