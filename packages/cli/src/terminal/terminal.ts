// The world around a command: its three streams and its environment, given to `run` so that tests need no process.

export interface Sink {
  write(chunk: string | Uint8Array, done: (error?: Error | null) => void): unknown
  readonly isTTY?: boolean | undefined
  readonly columns?: number | undefined
  readonly rows?: number | undefined
  getColorDepth?(): number
  on?(event: 'error', listener: (error: Error) => void): unknown
  /** Of a terminal whose columns or rows have changed. */
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
  /** Environment variables; the process's own unless given. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined
  /** Calls when the person or the system wants an end (Ctrl-C); returns what forgets about it. Never, unless given. */
  readonly onStop?: ((listener: () => void) => () => void) | undefined
}

/** How many colours may be used: none, the 256 of the colour cube, or 24 bits. */
export type ColorDepth = 1 | 8 | 24

/** `wanted` is false after --no-color. https://no-color.org: NO_COLOR counts when it is not empty. */
export function colorDepth(sink: Sink, env: NonNullable<Terminal['env']>, wanted: boolean): ColorDepth {
  if (!wanted || (env['NO_COLOR'] ?? '') !== '' || env['TERM'] === 'dumb') return 1
  if (sink.isTTY !== true) return 1
  const depth = sink.getColorDepth?.() ?? 1
  return depth >= 24 ? 24 : depth >= 8 ? 8 : 1
}
