// CPU work for tested programs. It counts CPU time, not wall time, so a busy machine gives as many samples as an idle one.

/** Calls `step` until the process has used the given CPU time. */
export function burn(millis: number, step: () => number = spin): number {
  const start = process.cpuUsage()
  let sum = 0
  while (process.cpuUsage(start).user < millis * 1000) sum += step()
  return sum
}

function spin(): number {
  let x = 0
  for (let i = 0; i < 20_000; i++) x += Math.sqrt(i + x)
  return x
}
