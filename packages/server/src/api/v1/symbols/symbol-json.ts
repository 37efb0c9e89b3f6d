// Debug files in responses.
import { z } from 'zod'
import type { AboutFile } from '../../../symbols/about-file.ts'
import { QUALITIES, SYMBOL_SOURCES } from '../../../symbols/about-file.ts'
import { defined } from '../../../query/defined.ts'
import { count } from '../response/fields.ts'
import { nameSchema } from '../response/schema-names.ts'

export const quality = z.enum(QUALITIES).meta({
  description:
    'lines: names with files, lines and inlined calls. names: names of functions only. none: a part for other files',
})
export const created = z.iso.datetime().meta({ description: 'When the server received the file' })
export const source = z.enum(SYMBOL_SOURCES)

export const symbolFile = nameSchema(
  'SymbolFile',
  z.strictObject({
    id: z.string(),
    name: z.string(),
    source,
    buildIds: z
      .array(z.string())
      .meta({ description: 'Build ids of all kinds: GNU, Go, htlhash, SHA-256 of the file' }),
    format: z.string(),
    quality,
    bytes: count,
    indexBytes: count,
    code: z.string().optional().meta({ description: 'The machine of the code in the file, which can be disassembled' }),
    missingUnits: count
      .optional()
      .meta({ description: 'Units of split debug information that are in a package (.dwp) which the server lacks' }),
    sources: count.optional().meta({ description: 'The number of files in an archive of source code' }),
    created,
  }),
)

export function symbolFileJson(about: AboutFile): z.infer<typeof symbolFile> {
  const { id, name, source: from, buildIds, format, quality: known, fileBytes: bytes, indexBytes } = about
  const time = new Date(about.created).toISOString()
  return {
    id,
    name,
    source: from,
    buildIds: [...buildIds],
    format,
    quality: known,
    bytes,
    indexBytes,
    ...defined({ code: about.code, missingUnits: about.missingUnits, sources: about.sources }),
    created: time,
  }
}
