// What was read: the files, what they are, the type that is shown, and what could not be carried.
import { formatBytes, formatDuration } from '@hearth/profile'
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { Icon } from '../../widgets/controls/icon.tsx'
import { formatMoment, millisOf } from '../../widgets/format-time.ts'
import { Popover } from '../../widgets/controls/popover.tsx'
import type { FileMeasure, FileSummary } from '../../worker/messages.ts'
import { measureIn } from './read-files.ts'

export interface FileBarProps {
  /** The first two are compared, if there are so many. */
  readonly files: readonly FileSummary[]
  /** What they can be shown by; none where two files have nothing in common. */
  readonly types: readonly string[]
  readonly type: string
  readonly onType: (type: string) => void
  /** Their ids in another order, or fewer of them. */
  readonly onFiles: (files: readonly string[]) => void
  readonly onAdd: () => void
}

const SIDES = ['Before', 'After'] as const

export function FileBar({ files, types, type, onType, onFiles, onAdd }: FileBarProps): JSX.Element {
  const shown = files.slice(0, 2)
  const ids = files.map(({ file }) => file)
  const measures = shown.map(file => measureIn(file, type))
  return (
    <div class="bar file-bar">
      {shown.map((file, i) => (
        <FileTag
          key={file.file}
          file={file}
          role={files.length < 2 ? '' : SIDES[i]}
          others={files.slice(2)}
          onExchange={other => onFiles(exchanged(ids, i, ids.indexOf(other)))}
          onClose={files.length < 2 ? undefined : () => onFiles(ids.toSpliced(i, 1))}
        />
      ))}
      {types.length > 0 ? (
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
      ) : (
        measures.length > 1 && (
          <span class="file-unlike" role="note">
            <Icon name="warning" size={12} /> shares of {measures[0]?.type ?? 'nothing'} against shares of{' '}
            {measures[1]?.type ?? 'nothing'}: no type is in both
          </span>
        )
      )}
      <span class="muted file-facts">
        {measures[0] === undefined || files.length > 1 ? '' : factsOf(measures[0])}
        {files.length > 2 ? `${files.length} files are open` : ''}
      </span>
      <span class="spring" />
      {files.length > 1 ? (
        <button type="button" onClick={() => onFiles(exchanged(ids, 0, 1))}>
          <Icon name="swap" /> Swap
        </button>
      ) : (
        <button type="button" onClick={onAdd}>
          <Icon name="plus" /> Compare with another
        </button>
      )}
      <button type="button" onClick={() => onFiles([])}>
        <Icon name="close" /> Close
      </button>
    </div>
  )
}

function exchanged(ids: readonly string[], a: number, b: number): string[] {
  return ids.with(a, ids[b]).with(b, ids[a])
}

interface FileTagProps {
  readonly file: FileSummary
  /** Empty for a file by itself. */
  readonly role: '' | (typeof SIDES)[number]
  /** What can be shown in its place. */
  readonly others: readonly FileSummary[]
  readonly onExchange: (file: string) => void
  readonly onClose: (() => void) | undefined
}

function FileTag({ file, role, others, onExchange, onClose }: FileTagProps): JSX.Element {
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
            {role === '' ? '' : `${role}: `}
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
      {(others.length > 0 || onClose !== undefined) && (
        <ul class="menu-list file-others">
          {others.length > 0 && <li class="menu-head">Instead of it</li>}
          {others.map(other => (
            <li key={other.file}>
              <button type="button" onClick={() => onExchange(other.file)}>
                {other.name} <span class="menu-end code">{other.format}</span>
              </button>
            </li>
          ))}
          {onClose !== undefined && (
            <li>
              <button type="button" onClick={onClose}>
                Close this file
              </button>
            </li>
          )}
        </ul>
      )}
    </Popover>
  )
}

/** Earlier times than 2000 are counted from the start of a machine, not from 1970. */
const CLOCKS_FROM = BigInt(Date.UTC(2000, 0)) * 1_000_000n

function factsOf({ samples, profiles, time, duration, timed }: FileMeasure): string {
  return [
    `${samples.toLocaleString('en')} samples`,
    profiles > 1 ? `${profiles.toLocaleString('en')} profiles` : '',
    duration > 0n ? formatDuration(duration) : '',
    time > CLOCKS_FROM ? formatMoment(millisOf(time)) : '',
    timed ? 'with times' : '',
  ]
    .filter(fact => fact !== '')
    .join(' · ')
}
