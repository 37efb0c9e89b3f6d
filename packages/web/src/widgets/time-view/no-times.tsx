// Said instead of a view of time where samples have none: why, and what to do about it.
import type { JSX } from 'preact'

export interface NoTimesProps {
  /** Whether it is about a file, or about what is stored. */
  readonly isFile: boolean
}

export function NoTimes({ isFile }: NoTimesProps): JSX.Element {
  return (
    <div class="reading">
      <h2>No timestamps</h2>
      {isFile ? (
        <p>
          This file says how much was spent in each stack, not when. Formats that keep the time of each sample are OTLP
          with timestamps, Chrome traces, V8 CPU profiles, Firefox, perf, JFR and speedscope.
        </p>
      ) : (
        <>
          <p>
            These profiles were sent as sums: how much was spent in each stack, not when. The flame graph and the table
            show them; views of time need samples with <code>timestamps_unix_nano</code>.
          </p>
          <p>
            Hearth’s agent for Node.js and the OpenTelemetry eBPF profiler send them. pprof has no place for them: where
            a profiler can write OTLP, perf, JFR or a Chrome trace instead, push that.
          </p>
        </>
      )}
    </div>
  )
}
