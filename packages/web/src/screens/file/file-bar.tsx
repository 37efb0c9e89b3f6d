// What was read: the files, what they are, the type that is shown, and what could not be carried.
import { formatBytes, formatDuration } from '@hearth/profile'
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { Icon } from '../../widgets/icon.tsx'
import { formatMoment, millisOf } from '../../widgets/format-time.ts'
import { Popover } from '../../widgets/popover.tsx'
import type { FileMeasure, FileSummary } from '../../worker/messages.ts'

export interface FileBarProps {
  readonly files: readonly FileSummary[]
  readonly type: string
  readonly onType: (type: string) => void
  readonly onSwap: () => void
  readonly onClose: () => void
  readonly onAdd: () => void
}

export function FileBar({ files, type, onType, onSwap, onClose, onAdd }: FileBarProps): JSX.Element {
  const [first] = files
  const types = [...new Set(files.flatMap(file => file.measures.map(measure => measure.type)))]
  const measure = first.measures.find(each => each.type === type) ?? first.measures[0]
  return (
    <div class="bar file-bar">
      {files.map((file, i) => (
        <FileTag key={file.file} file={file} role={files.length < 2 ? '' : i === 0 ? 'Before: ' : 'After: '} />
      ))}
      {types.length > 0 && (
        <label>
          <span class="muted">Type</span>
          <select value={type} onChange={event => onType(event.currentTarget.value)}>
            {types.map(each => (
              <option key={each} value={each}>
                {each}
              </option>
            ))}
          </select>
        </label>
      )}
      <span class="muted file-facts">{measure === undefined || files.length > 1 ? '' : factsOf(measure)}</span>
      <span class="spring" />
      {files.length > 1 ? (
        <button type="button" onClick={onSwap}>
          <Icon name="swap" /> Swap
        </button>
      ) : (
        <button type="button" onClick={onAdd}>
          <Icon name="plus" /> Compare with another
        </button>
      )}
      <button type="button" onClick={onClose}>
        <Icon name="close" /> Close
      </button>
    </div>
  )
}

function FileTag({ file, role }: { readonly file: FileSummary; readonly role: string }): JSX.Element {
  const [open, setOpen] = useState(false)
  return (
    <Popover
      open={open}
      onOpen={setOpen}
      buttonClass="file-tag"
      label={
        <>
          <Icon name="file" />
          <span class="file-name">
            {role}
            {file.name}
          </span>
          <span class="muted">{file.format}</span>
          {file.notes.length > 0 && (
            <span class="diff-tag">{file.notes.length === 1 ? '1 note' : `${file.notes.length} notes`}</span>
          )}
        </>
      }
    >
      <div class="popover-body">
        <p>
          {file.formatTitle}
          {file.confidence === 'possible' && ' (perhaps)'}, {formatBytes(file.bytes)}
          {file.compression === 'none' ? '' : `, ${file.compression}`}
        </p>
        {file.notes.length === 0 ? (
          <p class="muted">Everything in it was read.</p>
        ) : (
          <ul class="file-notes">
            {file.notes.map(note => (
              <li key={note.code}>
                {note.count.toLocaleString('en')} × {note.message}
              </li>
            ))}
          </ul>
        )}
      </div>
    </Popover>
  )
}

function factsOf({ samples, profiles, time, duration, timed }: FileMeasure): string {
  return [
    `${samples.toLocaleString('en')} samples`,
    profiles > 1 ? `${profiles.toLocaleString('en')} profiles` : '',
    duration > 0n ? formatDuration(duration) : '',
    time > 0n ? formatMoment(millisOf(time)) : '',
    timed ? 'with times' : '',
  ]
    .filter(fact => fact !== '')
    .join(' · ')
}
