// Where there is no file yet: a place to drop one.
import type { JSX } from 'preact'
import { Icon } from '../../widgets/controls/icon.tsx'

export interface DropFieldProps {
  readonly isOver: boolean
  readonly onChoose: () => void
}

const READS = [
  'OTLP (protobuf, JSON)',
  'pprof, old and new',
  'JFR',
  'perf data and perf script',
  'Chrome traces',
  'V8 CPU and heap profiles',
  'Firefox Profiler',
  'speedscope',
  'folded stacks',
  'Go traces',
]

export function DropField({ isOver, onChoose }: DropFieldProps): JSX.Element {
  return (
    <div class="drop-screen">
      <div class={isOver ? 'drop-field over' : 'drop-field'}>
        <Icon name="file" size={32} />
        <h1>Drop profiles here</h1>
        <p>
          or{' '}
          <button type="button" class="primary" onClick={onChoose}>
            Choose files
          </button>
        </p>
        <p class="muted">They are read in this browser: nothing leaves the machine. Two files become a comparison.</p>
        <ul>
          {READS.map(each => (
            <li key={each}>{each}</li>
          ))}
        </ul>
        <p class="muted">Compressed with gzip or zstd or not at all; the format is recognised.</p>
      </div>
    </div>
  )
}
