// Targets that the server fetches profiles from, with their last scrape.
import { z } from 'zod'
import { defineEndpoint } from '../endpoint.ts'
import { count } from '../response/fields.ts'
import { nameSchema } from '../response/schema-names.ts'

const labels = z.record(z.string(), z.string())

const targetRow = nameSchema(
  'TargetRow',
  z.strictObject({
    job: z.string(),
    url: z.string(),
    profile: z.string().meta({ description: 'The kind of profile, e.g. process_cpu' }),
    labels,
    discoveredLabels: labels.meta({ description: 'Labels before relabelling' }),
    state: z.enum(['unknown', 'up', 'down']).meta({ description: 'unknown before the first scrape ends' }),
    intervalSeconds: z.number(),
    lastScrape: z.iso.datetime().optional(),
    lastDurationSeconds: z.number().optional(),
    lastBytes: count.optional(),
    lastError: z.string().optional(),
  }),
)

export const targets = defineEndpoint({
  name: 'targets',
  method: 'GET',
  path: '/targets',
  summary: 'Targets that the server fetches profiles from',
  request: z.strictObject({ job: z.string().optional().meta({ description: 'Only targets of this job' }) }),
  response: z.strictObject({
    targets: z.array(targetRow),
    problems: z
      .array(z.strictObject({ job: z.string(), message: z.string() }))
      .meta({ description: 'Sources of targets that fail' }),
  }),
  async handle({ tenant, scrapedJobs }, { job: only }) {
    const jobs = scrapedJobs().filter(({ job, tenant: of }) => of === tenant && (only === undefined || job === only))
    return {
      targets: jobs.flatMap(({ targets: all }) =>
        all.map(({ target: { job, url, endpoint, labels: own, discovered, intervalMs }, last }) => ({
          job,
          url,
          profile: endpoint.name,
          labels: { ...own },
          discoveredLabels: { ...discovered },
          state:
            last === undefined ? ('unknown' as const) : last.error === undefined ? ('up' as const) : ('down' as const),
          intervalSeconds: intervalMs / 1000,
          ...(last === undefined
            ? {}
            : {
                lastScrape: new Date(last.start).toISOString(),
                lastDurationSeconds: last.durationMs / 1000,
                lastBytes: last.bytes,
                ...(last.error === undefined ? {} : { lastError: last.error }),
              }),
        })),
      ),
      problems: jobs.flatMap(({ job, problems }) => problems.map(message => ({ job, message }))),
    }
  },
})
