// The context of every command: the terminal, a progress line, and the number of colours.
import { Progress } from './terminal/progress.ts'
import type { ColorDepth, Terminal } from './terminal/terminal.ts'
import { colorDepth } from './terminal/terminal.ts'

export interface Context extends Required<Terminal> {
  readonly env: NonNullable<Terminal['env']>
  readonly onStop: NonNullable<Terminal['onStop']>
  readonly progress: Progress
  /** The colours of standard output. `wanted` is false with --no-color. */
  colorDepth(wanted: boolean): ColorDepth
  /** The maximum width of a table: the columns of the terminal, or undefined if the output is not a terminal. */
  readonly width: number | undefined
}

export function contextOf(terminal: Terminal): Context {
  const { stdin, stdout, stderr, env = process.env, onStop = never } = terminal
  return {
    stdin,
    stdout,
    stderr,
    env,
    onStop,
    progress: new Progress(stderr),
    colorDepth: wanted => colorDepth(stdout, env, wanted),
    width: stdout.isTTY === true ? (stdout.columns ?? 80) : undefined,
  }
}

/** For terminals without a stop signal. */
function never(): () => void {
  return () => undefined
}
