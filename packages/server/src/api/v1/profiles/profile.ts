// One stored profile as a file.
import { z } from 'zod'
import { MissingSymbols } from '../../../query/profiles/missing-symbols.ts'
import { wholeProfile } from '../../../query/profiles/profile-list.ts'
import { defineQuery } from '../endpoint.ts'
import * as parameters from '../request/parameters.ts'
import { FileResponse, writableFormat } from '../response/file-response.ts'

export const profile = defineQuery({
  name: 'profile',
  path: '/profiles/{profile}',
  summary: 'One profile with everything that was sent, as a file',
  request: z.strictObject({ format: parameters.format }),
  async handle({ queries, tenant, signal, limits, pathParameter: reference }, request) {
    const format = writableFormat(request.format)
    const missing = new MissingSymbols()
    const found = await wholeProfile(queries, { tenant, signal, limits }, reference, missing)
    return FileResponse.of(found, format, reference, missing.notes())
  },
})
