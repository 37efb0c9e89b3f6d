// Work for programs under test: CPU time, not wall time, so that a busy machine gives as many samples as an idle one.

/** Calls `step` until the process has used so much CPU. */
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
