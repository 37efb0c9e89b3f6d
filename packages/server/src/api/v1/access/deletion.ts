// The progress of a deletion.
import { z } from 'zod'
import { deletionRecord } from '../../../query/deletion/deletions.ts'
import { defineEndpoint } from '../endpoint.ts'
import { unknownName } from '../response/request-error.ts'
import { nameSchema } from '../response/schema-names.ts'

export const shownDeletion = nameSchema('Deletion', deletionRecord)

export const deletion = defineEndpoint({
  name: 'deletion',
  method: 'GET',
  path: '/deletions/{deletion}',
  summary: 'The progress of a deletion',
  scope: 'admin',
  request: z.strictObject({}),
  response: shownDeletion,
  async handle({ deletions: all, tenant, pathParameter: id }) {
    const record = all.find(tenant, id)
    if (record === undefined) throw unknownName('deletion', id)
    return record
  },
})
