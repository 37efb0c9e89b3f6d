// CPU time and memory of another process, from Linux's /proc.
import { readFileSync } from 'node:fs'

/** Seconds of a Linux clock tick. */
const TICK_SECONDS = 0.01

/** CPU seconds of a whole process, ended threads included. */
export function cpuSeconds(pid: number): number {
  return secondsOf(`/proc/${pid}/stat`)
}

/** CPU seconds of the process's first thread. */
export function mainThreadSeconds(pid: number): number {
  return secondsOf(`/proc/${pid}/task/${pid}/stat`)
}

/** Bytes of memory: `VmRSS` now, `VmHWM` at the peak. */
export function memoryOf(pid: number, figure: 'VmRSS' | 'VmHWM'): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Number(new RegExp(`${figure}:\\s+(\\d+) kB`).exec(status)?.[1]) * 1024
}

function secondsOf(file: string): number {
  const text = readFileSync(file, 'utf8')
  // The name in brackets may contain spaces.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) * TICK_SECONDS
}
