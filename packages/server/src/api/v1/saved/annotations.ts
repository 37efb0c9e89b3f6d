// The annotations of a time range.
import { z } from 'zod'
import { annotation, annotationsIn } from '../../../saved/annotation.ts'
import { defineEndpoint } from '../endpoint.ts'
import { selection, text } from '../request/parameters.ts'
import { queryOf } from '../request/request-context.ts'
import { nameSchema } from '../response/schema-names.ts'

export const annotationSchema = nameSchema('Annotation', annotation)

const { from, to } = selection

export const annotations = defineEndpoint({
  name: 'annotations',
  method: 'GET',
  path: '/annotations',
  summary: 'Deployments and notes in a time range',
  request: z.strictObject({ from, to, service: text('Only those of this service and of all services') }),
  response: z.strictObject({ annotations: z.array(annotationSchema).meta({ description: 'In order of time' }) }),
  async handle(context, { service, ...range }) {
    const { from: start, to: end } = queryOf(context, range)
    return {
      annotations: annotationsIn(context.saved.annotations.list(context.tenant), { from: start, to: end, service }),
    }
  },
})
