// Log records by step and thread, for lanes of a timeline.
import { z } from 'zod'
import { logMarks as queryLogMarks } from '../../../query/signals/lane-logs.ts'
import { defineQuery } from '../endpoint.ts'
import { rejectUnknownItemKeys } from '../request/check-keys.ts'
import { limit, text } from '../request/parameters.ts'
import { defined } from '../../../query/defined.ts'
import { lanes, resourcesOf, selection, signalQueryOf } from '../request/signal-parameters.ts'
import { parseDuration } from '../request/times.ts'
import { count, hex, nanoseconds, time } from '../response/fields.ts'
import { nameSchema } from '../response/schema-names.ts'
import { lane } from './item-json.ts'

const logMark = nameSchema(
  'LogMark',
  z.strictObject({
    records: count.meta({ description: 'The number of records of the thread in the step' }),
    severity: count.meta({
      description: 'The highest severity among them: 1 to 24; 0 if it has none. The other fields describe that record',
    }),
    time: time('Its time'),
    text: z.string().meta({ description: 'Its body, up to 500 characters' }),
    traceId: hex('Empty without a trace'),
    spanId: hex('Empty without a span'),
    ...lane,
  }),
)

export const logMarks = defineQuery({
  name: 'logMarks',
  path: '/log-marks',
  summary: 'Log records by step and thread: their number and the most severe, for timelines',
  request: z.strictObject({
    ...selection('record'),
    ...lanes,
    step: text('The length of a step, such as 20ms; default: a thousandth of the range'),
    limit: limit(20_000, 'Maximum number of marks; the most severe are kept; default: 5000'),
  }),
  response: z.strictObject({
    step: nanoseconds('The length of a step'),
    marks: z.array(logMark).meta({ description: 'By time' }),
    all: count.meta({ description: 'The total number of records' }),
    hidden: count.meta({ description: 'The number of records without a mark, because of the limit' }),
  }),
  async handle(context, request) {
    const { service, limit: max } = request
    const query = signalQueryOf(context, request)
    const step = request.step === undefined ? undefined : parseDuration(request.step)
    const choice = defined({ service, limit: max, step, resources: resourcesOf(request) })
    const found = await queryLogMarks(context.queries, query, choice)
    if (found.all === 0) await rejectUnknownItemKeys(context, query, 'log')
    const marks = found.marks.map(mark => ({ ...mark, time: mark.time.toString() }))
    return { step: found.step.toString(), marks, all: found.all, hidden: found.hidden }
  },
})
