// Shown instead of a view of time if the samples have no timestamps. It explains why, and what to do.
import type { JSX } from 'preact'

export interface NoTimesProps {
  /** Whether the samples come from a local file and not from the server. */
  readonly isFile: boolean
}

export function NoTimes({ isFile }: NoTimesProps): JSX.Element {
  return (
    <div class="reading">
      <h2>No timestamps</h2>
      {isFile ? (
        <p>
          The samples of this file have no timestamps. Formats with timestamps are OTLP, Chrome traces, V8 CPU profiles,
          Firefox, perf, JFR and speedscope.
        </p>
      ) : (
        <>
          <p>
            These profiles are aggregated: their samples have no times of their own. Use the flame graph or the table.
          </p>
          <p>
            Hearth’s agent for Node.js and the OpenTelemetry eBPF profiler send timestamps. pprof cannot store them. If
            your profiler can write OTLP, perf, JFR or a Chrome trace, push that instead.
          </p>
        </>
      )}
    </div>
  )
}
