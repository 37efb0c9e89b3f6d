// Groups of targets in the form that Prometheus reads from files and HTTP responses: [{"targets": […], "labels": {…}}].
import { targetGroups } from '../scrape-config.ts'
import type { TargetGroup } from '../targets.ts'

/** Throws Error that names `place` and the first invalid part. */
export function groupsIn(content: unknown, place: string): readonly TargetGroup[] {
  const parsed = targetGroups.safeParse(content)
  if (parsed.success) return parsed.data
  const { path, message } = parsed.error.issues[0]
  throw new Error(`${place}: ${['groups', ...path].join('.')}: ${message}`)
}
