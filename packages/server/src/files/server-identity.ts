// The identity of a data directory, for stores that several servers share. Created at the first start.
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { StateFile } from './state-file.ts'

export function serverIdentity(dataDirectory: string): string {
  const file = new StateFile(join(dataDirectory, 'identity.json'), {
    parse: json => {
      const { server } = json as { readonly server?: unknown }
      if (typeof server !== 'string') throw new Error('not an identity')
      return { server }
    },
    optional: true,
  })
  const known = file.read().content
  if (known !== undefined) return known.server
  const made = { server: randomUUID() }
  file.writeSync(made)
  return made.server
}
