// A mark on the time axis of charts: a deployment, or a note.
import { z } from 'zod'

const INT64 = /^\d{1,19}$/

export const ANNOTATION_KINDS = ['deploy', 'note'] as const

export const annotationFields = {
  text: z.string().trim().min(1).max(1000),
  kind: z.enum(ANNOTATION_KINDS),
  service: z.string().max(1024).meta({ description: 'Empty for all services' }),
}

export const annotation = z.strictObject({
  id: z.string(),
  ...annotationFields,
  time: z.string().regex(INT64).meta({ description: 'Nanoseconds since 1970' }),
  created: z.iso.datetime(),
  by: z.string().meta({ description: 'The name of the token or person' }),
})

export type Annotation = z.infer<typeof annotation>

export const MAX_ANNOTATIONS = 10_000

export interface AnnotationRange {
  /** Nanoseconds since 1970; `to` is exclusive. */
  readonly from: bigint
  readonly to: bigint
  /** Undefined for all. */
  readonly service?: string | undefined
}

/** The annotations of a range in order of time: those of the service and those of all services. */
export function annotationsIn(all: readonly Annotation[], { from, to, service }: AnnotationRange): Annotation[] {
  return all
    .filter(each => {
      const time = BigInt(each.time)
      return time >= from && time < to && (service === undefined || each.service === '' || each.service === service)
    })
    .toSorted((a, b) => Number(BigInt(a.time) - BigInt(b.time)))
}
