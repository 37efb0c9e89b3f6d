// Loads the marks of a chart: annotations, and the first appearance of versions of the current service.
import { preferredType } from '../../api/preferred-type.ts'
import { EMPTY_QUERY, selectorOf } from '../../address/query.ts'
import type { OfLoad, TimeRange } from '../../address/time-range.ts'
import { absolute, stepFor, timeText } from '../../address/time-range.ts'
import { context } from '../../state/areas.ts'
import { HAS_FILES_ALONE } from '../../state/files-alone.ts'
import { loadTime } from '../../state/load-time.ts'
import { client } from '../../state/session.ts'
import { useLoaded } from '../../state/use-loaded.ts'
import { annotationChanges } from './annotations.ts'
import type { Mark } from './marks.ts'
import { annotationMarks, joinMarks, versionMarks } from './marks.ts'

const STEPS = 120

/** The range in milliseconds since 1970. Empty until they are loaded, and if they cannot be loaded. */
export function useMarks(from: number, to: number): readonly Mark[] {
  const { service } = context.value
  const key = HAS_FILES_ALONE || to <= from ? undefined : `marks:${service}:${from}:${to}:${annotationChanges.value}`
  const loaded = useLoaded(key, async signal => {
    const { receivedBefore, ...range } = absolute({ from: timeText(from), to: timeText(to) }, loadTime.peek())
    const [{ annotations }, versions] = await Promise.all([
      client.peek().act('annotations', { ...range, ...(service === '' ? {} : { service }) }, { signal }),
      service === '' ? [] : versionsOf(service, { ...range, receivedBefore }, from, to - from, signal),
    ])
    return joinMarks(annotationMarks(annotations), versions, (to - from) / STEPS)
  })
  // One empty list, so that a chart without marks is not drawn again.
  return loaded.value === undefined || loaded.value.length === 0 ? NONE : loaded.value
}

const NONE: readonly Mark[] = []

async function versionsOf(
  service: string,
  range: TimeRange & OfLoad,
  from: number,
  length: number,
  signal: AbortSignal,
): Promise<readonly Mark[]> {
  // All types of a service have its versions. A query has one type.
  const selector = selectorOf({ ...EMPTY_QUERY, service })
  const { profileTypes } = await client.peek().query('profileTypes', { ...range, selector }, { signal })
  const type = preferredType(profileTypes)
  if (type === undefined) return []
  const request = {
    ...range,
    selector: selectorOf({ ...EMPTY_QUERY, service, type }),
    step: stepFor(length, STEPS),
    aggregation: 'count',
    groupBy: ['resource:service.version'],
  } as const
  return versionMarks(await client.peek().query('series', request, { signal }), from)
}
