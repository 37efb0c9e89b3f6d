// The empty state of Files: a field to drop files on.
import type { JSX } from 'preact'
import { Icon } from '../../widgets/controls/icon.tsx'

export interface DropFieldProps {
  readonly isOver: boolean
  readonly onChoose: () => void
  /** Whether debug files are open already, and a profile is missing. */
  readonly hasSymbols: boolean
}

const FORMATS = [
  'OTLP (protobuf, JSON)',
  'pprof',
  'JFR',
  'perf data and perf script',
  'Chrome traces',
  'V8 CPU and heap profiles',
  'Firefox Profiler',
  'speedscope',
  'folded stacks',
  'Go traces',
]

export function DropField({ isOver, onChoose, hasSymbols }: DropFieldProps): JSX.Element {
  return (
    <div class="drop-screen">
      <div class={isOver ? 'drop-field over' : 'drop-field'}>
        <Icon name="file" size={32} />
        <h1>{hasSymbols ? 'Drop the profile of the debug files here' : 'Drop profiles here'}</h1>
        <p>
          or{' '}
          <button type="button" class="primary" onClick={onChoose}>
            Choose files
          </button>
        </p>
        <p class="muted">Files are read in this browser and are not uploaded. Open two files to compare them.</p>
        <p class="muted">Binaries and debug files beside a profile name its native frames.</p>
        <ul>
          {FORMATS.map(each => (
            <li key={each}>{each}</li>
          ))}
        </ul>
        <p class="muted">Files may be compressed with gzip or zstd. The format is detected.</p>
      </div>
    </div>
  )
}
