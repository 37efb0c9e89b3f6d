// Marks on the time axis of charts: deployments and notes, without the DOM.
import type { Annotation, SeriesResponse } from '@hearth/client'
import { valueText } from '../../api/value-text.ts'
import { millisOf } from '../format-time.ts'

export interface Mark {
  /** Milliseconds since 1970. */
  readonly time: number
  readonly text: string
  readonly isDeploy: boolean
}

/** Marks of annotations. */
export function annotationMarks(annotations: readonly Annotation[]): readonly Mark[] {
  return annotations.map(({ time, text, kind, service }) => ({
    time: millisOf(time),
    text: service === '' ? text : `${service}: ${text}`,
    isDeploy: kind === 'deploy',
  }))
}

/**
 * A mark where each version of a service was first seen. The groups of the response are versions. A version that was there at
 * the start of the range was deployed before it.
 */
export function versionMarks({ groups, step }: Pick<SeriesResponse, 'groups' | 'step'>, from: number): readonly Mark[] {
  const start = BigInt(from) * 1_000_000n + BigInt(step)
  return groups.flatMap(({ labels: [label], points }) => {
    const version = valueText(label ?? {})
    const first = points.at(0)
    if (version === '' || first === undefined || BigInt(first.time) < start) return []
    return [{ time: millisOf(first.time), text: version, isDeploy: true }]
  })
}

/** In order of time. A version that an annotation at about the same time names is not marked twice. */
export function joinMarks(annotated: readonly Mark[], versions: readonly Mark[], nearMs: number): readonly Mark[] {
  const isNamed = ({ time, text }: Mark): boolean =>
    annotated.some(each => each.isDeploy && Math.abs(each.time - time) <= nearMs && each.text.includes(text))
  return [...annotated, ...versions.filter(each => !isNamed(each))].toSorted((a, b) => a.time - b.time)
}

const MAX_LABEL = 18

/** `v1.4.2`, shortened at the end. */
export function markLabel({ text }: Mark): string {
  return text.length <= MAX_LABEL ? text : `${text.slice(0, MAX_LABEL - 1)}…`
}
