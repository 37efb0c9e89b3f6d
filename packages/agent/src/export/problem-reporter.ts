// Where problems go when nobody asked for them: one line each on stderr, the same one not more than every ten minutes, so that a
// backend that is down for a day is no flood. Never stdout, which belongs to the application.
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
    // Numbers differ from time to time in what is the same problem.
    const kind = problem.replaceAll(/\d+/g, '#')
    const last = toldAt.get(kind)
    if (last !== undefined && now() - last < SILENT_MILLIS) return
    if (toldAt.size >= MAX_KNOWN) toldAt.clear()
    toldAt.set(kind, now())
    write(`hearth agent: ${problem.replaceAll(/\s+/g, ' ')}\n`)
  }
}

/** Calls the application's function, which might throw, from the middle of the agent's work. */
export function guarded(onProblem: (problem: string) => void): (problem: string) => void {
  return problem => {
    try {
      onProblem(problem)
    } catch {
      // There is nobody left to tell.
    }
  }
}

function writeStderr(line: string): void {
  if (process.env['NODE_NO_WARNINGS'] === '1') return
  try {
    // Not process.stderr, whose 'error' event on a closed pipe would end the application.
    writeSync(STDERR, line)
  } catch {
    // Closed, or full.
  }
}
