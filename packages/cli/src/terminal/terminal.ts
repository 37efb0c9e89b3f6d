// The environment of a command: its three streams and its variables, passed to `run` so that tests need no process.

export interface Sink {
  write(chunk: string | Uint8Array, done: (error?: Error | null) => void): unknown
  readonly isTTY?: boolean | undefined
  readonly columns?: number | undefined
  readonly rows?: number | undefined
  getColorDepth?(): number
  on?(event: 'error', listener: (error: Error) => void): unknown
  /** Called when the columns or rows of a terminal change. */
  on?(event: 'resize', listener: () => void): unknown
  off?(event: 'resize', listener: () => void): unknown
}

export interface Source extends AsyncIterable<string | Uint8Array> {
  readonly isTTY?: boolean | undefined
}

export interface Terminal {
  readonly stdin: Source
  readonly stdout: Sink
  readonly stderr: Sink
  /** Environment variables. Default: those of the process. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined
  /** Registers a listener for Ctrl-C and signals. Returns a function that removes it. Default: never called. */
  readonly onStop?: ((listener: () => void) => () => void) | undefined
}

/** The number of colours: none, the 256 of the colour cube, or 24 bits. */
export type ColorDepth = 1 | 8 | 24

/** `wanted` is false with --no-color. By https://no-color.org, NO_COLOR counts if it is not empty. */
export function colorDepth(sink: Sink, env: NonNullable<Terminal['env']>, wanted: boolean): ColorDepth {
  if (!wanted || (env['NO_COLOR'] ?? '') !== '' || env['TERM'] === 'dumb') return 1
  if (sink.isTTY !== true) return 1
  const depth = sink.getColorDepth?.() ?? 1
  return depth >= 24 ? 24 : depth >= 8 ? 8 : 1
}
