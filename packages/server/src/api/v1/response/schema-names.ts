// Schemas that the OpenAPI document and the client's types refer to by name.
import { z } from 'zod'

const names = z.registry<{ id: string }>()
const all = new Map<z.ZodType, string>()

/** Names a schema, unless it has a name already, and returns it. */
export function nameSchema<Schema extends z.ZodType>(name: string, schema: Schema): Schema {
  if (all.has(schema)) return schema
  names.add(schema, { id: name })
  all.set(schema, name)
  return schema
}

/** All named schemas. */
export function schemaRegistry(): typeof names {
  return names
}

/** Throws an Error if the schema has no name. */
export function schemaName(schema: z.ZodType): string {
  const name = all.get(schema)
  if (name === undefined) throw new Error('the schema has no name; see nameSchema')
  return name
}
