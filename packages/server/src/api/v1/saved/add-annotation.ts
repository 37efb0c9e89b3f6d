// Adds an annotation.
import { z } from 'zod'
import { annotationFields } from '../../../saved/annotation.ts'
import { defineEndpoint } from '../endpoint.ts'
import { TIME, text } from '../request/parameters.ts'
import { parseTime } from '../request/times.ts'
import { annotationSchema } from './annotations.ts'

export const addAnnotation = defineEndpoint({
  name: 'addAnnotation',
  method: 'POST',
  path: '/annotations',
  summary: 'Marks a deployment, or adds a note, on the time axis of charts',
  scope: 'write',
  request: z.strictObject({
    text: annotationFields.text,
    kind: annotationFields.kind.optional().meta({ description: 'deploy, or note (the default)' }),
    service: annotationFields.service.optional().meta({ description: 'All services unless given' }),
    time: text(`${TIME}; default: now`),
  }),
  response: annotationSchema,
  status: 201,
  async handle({ saved, tenant, caller, now }, { text: words, kind = 'note', service = '', time }) {
    const at = time === undefined ? now : parseTime(time, now)
    const created = new Date(Number(now / 1_000_000n)).toISOString()
    return await saved.annotations.add(tenant, {
      text: words,
      kind,
      service,
      time: at.toString(),
      created,
      by: caller,
    })
  },
})
