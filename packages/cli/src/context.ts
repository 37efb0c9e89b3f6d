// What every command gets besides its arguments: the terminal, a progress line, and how many colours may be used.
import { Progress } from './terminal/progress.ts'
import type { ColorDepth, Terminal } from './terminal/terminal.ts'
import { colorDepth } from './terminal/terminal.ts'

export interface Context extends Required<Terminal> {
  readonly env: NonNullable<Terminal['env']>
  readonly onStop: NonNullable<Terminal['onStop']>
  readonly progress: Progress
  /** Of standard output; `wanted` is false after --no-color. */
  colorDepth(wanted: boolean): ColorDepth
  /** How wide a table may be: the terminal's columns, or undefined where the output goes elsewhere. */
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

/** Nobody can be asked to end. */
function never(): () => void {
  return () => undefined
}
