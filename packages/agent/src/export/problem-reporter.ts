// Prints problems to stderr unless the application handles them. The same problem is printed at most every ten minutes, so that
// a backend that is down for a day does not flood the log. stdout belongs to the application.
import { writeSync } from 'node:fs'

const SILENT_MILLIS = 600_000
const STDERR = 2
const MAX_KNOWN = 100

export function problemReporter(
  write: (line: string) => void = writeStderr,
  now = Date.now,
): (problem: string) => void {
  const toldAt = new Map<string, number>()
  return problem => {
    // The same problem may contain different numbers.
    const kind = problem.replaceAll(/\d+/g, '#')
    const last = toldAt.get(kind)
    if (last !== undefined && now() - last < SILENT_MILLIS) return
    if (toldAt.size >= MAX_KNOWN) toldAt.clear()
    toldAt.set(kind, now())
    write(`hearth agent: ${problem.replaceAll(/\s+/g, ' ')}\n`)
  }
}

/** Calls the application's function and ignores what it throws. */
export function guarded(onProblem: (problem: string) => void): (problem: string) => void {
  return problem => {
    try {
      onProblem(problem)
    } catch {
      // There is nowhere left to report it.
    }
  }
}

function writeStderr(line: string): void {
  if (process.env['NODE_NO_WARNINGS'] === '1') return
  try {
    // Not process.stderr: its 'error' event on a closed pipe would end the application.
    writeSync(STDERR, line)
  } catch {
    // stderr is closed or full.
  }
}
