// The targets that the screen shows, by job.
import type { TargetRow } from '@hearth/client'

/** Targets whose URL, profile or labels contain the text, in any case. */
export function matchingTargets(targets: readonly TargetRow[], search: string, isDownOnly: boolean): TargetRow[] {
  const wanted = search.trim().toLowerCase()
  return targets.filter(({ state, url, profile, job, labels }) => {
    if (isDownOnly && state !== 'down') return false
    const texts = [url, profile, job, ...Object.entries(labels).map(([name, value]) => `${name}=${value}`)]
    return texts.some(text => text.toLowerCase().includes(wanted))
  })
}

/** Jobs by name. Failing targets come first. */
export function groupTargets(targets: readonly TargetRow[]): [job: string, rows: TargetRow[]][] {
  const jobs = [...new Set(targets.map(({ job }) => job))].toSorted((a, b) => a.localeCompare(b))
  const isDown = ({ state }: TargetRow): number => Number(state === 'down')
  return jobs.map(job => [job, targets.filter(target => target.job === job).toSorted((a, b) => isDown(b) - isDown(a))])
}
