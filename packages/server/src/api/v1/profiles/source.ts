// The text of a source file, for the lines of profiles, or its address on a code host.
import { z } from 'zod'
import { sourceLink } from '../../../source/source-link.ts'
import { defineEndpoint } from '../endpoint.ts'
import { text } from '../request/parameters.ts'
import { buildIds } from '../symbols/upload-symbols.ts'

export const source = defineEndpoint({
  name: 'source',
  path: '/source',
  summary:
    'The text of a source file, from uploaded archives, the folders of the setting `source` or debuginfod servers, and a link to it',
  request: z.strictObject({
    file: z.string().min(1).max(4096).meta({ description: 'The path as profiles state it' }),
    buildId: buildIds
      .optional()
      .meta({ description: 'Build ids of the binary with the code; archives of its own source come first' }),
    repository: text('The value of vcs.repository.url.full, for the link'),
    revision: text('The value of vcs.ref.head.revision, for the link'),
  }),
  response: z.strictObject({
    file: z.string(),
    path: z.string().optional().meta({ description: 'The path below the folder of the source code' }),
    text: z.string().optional().meta({ description: 'Missing if the server has no such file' }),
    link: z.string().optional().meta({ description: 'The address of the file, with {line} for a line number' }),
    linkNeeds: z
      .array(z.enum(['repository', 'revision']))
      .optional()
      .meta({ description: 'The parameters without which there is no link' }),
    reason: z.enum(['no-folders', 'not-found']).optional().meta({
      description: 'The reason why there is no text: the server has no source code, or none of it is the file',
    }),
  }),
  async handle(context, { file, buildId = [], repository, revision }) {
    const {
      tenant,
      uploadedSources,
      source: { folders, linkTemplate },
    } = context
    const found = (await uploadedSources?.sourceText(tenant, file, buildId)) ?? (await folders?.find(file))
    const link =
      linkTemplate === undefined
        ? undefined
        : sourceLink(linkTemplate, { repo: repository, revision, path: found?.path ?? file })
    return {
      file,
      ...(link === undefined ? {} : { link }),
      ...(linkTemplate === undefined || link !== undefined ? {} : { linkNeeds: neededFor(linkTemplate) }),
      ...(found ?? {
        reason:
          folders === undefined && uploadedSources?.hasSources(tenant) !== true
            ? ('no-folders' as const)
            : ('not-found' as const),
      }),
    }
  },
})

function neededFor(template: string): ('repository' | 'revision')[] {
  return [
    ...(template.includes('{repo}') ? ['repository' as const] : []),
    ...(template.includes('{revision}') ? ['revision' as const] : []),
  ]
}
