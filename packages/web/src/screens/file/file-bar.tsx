// The bar above an open file: name, format, profile type, and notes about data that could not be read.
import { formatBytes, formatDuration } from '@hearth/profile'
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { counted } from '../../widgets/counted.ts'
import { Icon } from '../../widgets/controls/icon.tsx'
import { formatMoment, millisOf } from '../../widgets/format-time.ts'
import { Popover } from '../../widgets/controls/popover.tsx'
import { typeTitle } from '../../widgets/type-title.ts'
import type { FileMeasure, FileSummary } from '../../worker/messages.ts'
import { distinctNames } from './distinct-names.ts'
import { measureIn } from './read-files.ts'

export interface FileBarProps {
  /** The first two are compared if there are two or more. */
  readonly files: readonly FileSummary[]
  /** The types that all shown files have. Empty if two files have no type in common. */
  readonly types: readonly string[]
  readonly type: string
  readonly onType: (type: string) => void
  /** Whether frames are shown that a file hides with `drop_frames`. */
  readonly allFrames: boolean
  readonly onAllFrames: (allFrames: boolean) => void
  /** Receives the ids in their new order, or fewer of them. */
  readonly onFiles: (files: readonly string[]) => void
  readonly onAdd: () => void
}

const SIDES = ['Baseline', 'Comparison'] as const

export function FileBar(props: FileBarProps): JSX.Element {
  const { files, types, type, onType, allFrames, onAllFrames, onFiles, onAdd } = props
  const shown = files.slice(0, 2)
  const ids = files.map(({ file }) => file)
  const names = distinctNames(shown.map(({ name }) => name))
  const measures = shown.map(file => measureIn(file, type))
  return (
    <div class="bar file-bar">
      {shown.map((file, i) => (
        <FileTag
          key={file.file}
          file={file}
          name={names[i]}
          role={files.length < 2 ? '' : SIDES[i]}
          others={files.slice(2)}
          onReplace={other => onFiles(swapped(ids, i, ids.indexOf(other)))}
          onClose={files.length < 2 ? undefined : () => onFiles(ids.toSpliced(i, 1))}
        />
      ))}
      {types.length > 0 ? (
        <label>
          <span class="muted">Type</span>
          <select value={type} onChange={event => onType(event.currentTarget.value)}>
            {types.map(each => (
              <option key={each} value={each}>
                {typeTitle(each)}
              </option>
            ))}
          </select>
        </label>
      ) : (
        measures.length > 1 && (
          <span class="file-unlike" role="note">
            <Icon name="warning" size={12} /> No common profile type: comparing shares of{' '}
            {typeTitle(measures[0]?.type ?? 'none')} and {typeTitle(measures[1]?.type ?? 'none')}
          </span>
        )
      )}
      {shown.some(({ prunedSamples }) => prunedSamples > 0) && (
        <label title="Shows the frames that the file hides with drop_frames">
          <input type="checkbox" checked={allFrames} onChange={event => onAllFrames(event.currentTarget.checked)} /> All
          frames
        </label>
      )}
      {shown[0] !== undefined && shown[0].symbols.length > 0 && (
        <span class="muted" title={shown[0].symbols.join('\n')}>
          {counted(shown[0].namedAddresses, 'address', 'addresses')} named by{' '}
          {shown[0].symbols.length === 1 ? shown[0].symbols[0] : counted(shown[0].symbols.length, 'debug file')}
        </span>
      )}
      <span class="muted file-details">
        {measures[0] === undefined || files.length > 1 ? '' : summaryOf(measures[0])}
        {files.length > 2 ? `${files.length} files open` : ''}
      </span>
      <span class="spring" />
      {files.length > 1 ? (
        <button type="button" onClick={() => onFiles(swapped(ids, 0, 1))}>
          <Icon name="swap" /> Swap
        </button>
      ) : (
        <button type="button" onClick={onAdd}>
          <Icon name="plus" /> Compare with file
        </button>
      )}
      <button type="button" onClick={() => onFiles([])}>
        <Icon name="close" /> Close
      </button>
    </div>
  )
}

function swapped(ids: readonly string[], a: number, b: number): string[] {
  return ids.with(a, ids[b]).with(b, ids[a])
}

interface FileTagProps {
  readonly file: FileSummary
  /** Its short name. */
  readonly name: string
  /** Empty for a single file. */
  readonly role: '' | (typeof SIDES)[number]
  /** Open files that can be shown in its place. */
  readonly others: readonly FileSummary[]
  readonly onReplace: (file: string) => void
  readonly onClose: (() => void) | undefined
}

function FileTag({ file, name, role, others, onReplace, onClose }: FileTagProps): JSX.Element {
  const [open, setOpen] = useState(false)
  return (
    <Popover
      open={open}
      onOpen={setOpen}
      buttonClass="file-tag"
      label={
        <>
          <Icon name="file" />
          <span class="file-name" title={file.name}>
            {role === '' ? '' : `${role}: `}
            {name}
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
          {file.confidence === 'possible' && ' (uncertain)'}, {formatBytes(file.bytes)}
          {file.compression === 'none' ? '' : `, ${file.compression}`}
        </p>
        {file.notes.length === 0 ? (
          <p class="muted">All data was read.</p>
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
      {(others.length > 0 || onClose !== undefined) && (
        <ul class="menu-list file-others">
          {others.length > 0 && <li class="menu-head">Replace with</li>}
          {others.map(other => (
            <li key={other.file}>
              <button type="button" onClick={() => onReplace(other.file)}>
                {other.name} <span class="menu-end code">{other.format}</span>
              </button>
            </li>
          ))}
          {onClose !== undefined && (
            <li>
              <button type="button" onClick={onClose}>
                Close file
              </button>
            </li>
          )}
        </ul>
      )}
    </Popover>
  )
}

/** Times before 2000 are measured from the start of the machine, not from 1970. */
const FIRST_WALL_TIME = BigInt(Date.UTC(2000, 0)) * 1_000_000n

function summaryOf({ samples, profiles, time, duration, timed }: FileMeasure): string {
  return [
    `${samples.toLocaleString('en')} samples`,
    profiles > 1 ? `${profiles.toLocaleString('en')} profiles` : '',
    duration > 0n ? formatDuration(duration) : '',
    time > FIRST_WALL_TIME ? formatMoment(millisOf(time)) : '',
    timed ? 'with timestamps' : '',
  ]
    .filter(part => part !== '')
    .join(' · ')
}
