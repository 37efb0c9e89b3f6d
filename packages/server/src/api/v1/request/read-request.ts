// Reads and validates the parameters of a request, from the query string (GET) or a JSON object (POST).
import type { z } from 'zod'
import { RequestError } from '../response/request-error.ts'

export type QueryText = Readonly<Record<string, string | readonly string[] | undefined>>

/** Converts the texts of a query string by the schema: `nodes=5` is a number, `groupBy=a` a list of one. */
export function fromQuery<Schema extends z.ZodObject>(schema: Schema, query: QueryText): z.infer<Schema> {
  const shape: Readonly<Record<string, z.ZodType>> = schema.shape
  // A client may name a parameter `constructor`.
  const schemaOf = (key: string) => (Object.hasOwn(shape, key) ? innermost(shape[key]) : undefined)
  const values = Object.entries(query).map(([key, value]) => [key, typed(schemaOf(key), value)])
  return checked(schema, Object.fromEntries(values))
}

export function checked<Schema extends z.ZodObject>(schema: Schema, value: unknown): z.infer<Schema> {
  const result = schema.safeParse(value ?? {})
  if (result.success) return result.data
  const [issue] = result.error.issues
  const known = Object.keys(schema.shape).join(', ')
  if (issue.code === 'unrecognized_keys') {
    const name = issue.keys[0].slice(0, 60)
    throw new RequestError(400, 'argument', `unknown parameter ${JSON.stringify(name)}; use ${known}`)
  }
  const path = issue.path.join('.')
  throw new RequestError(400, 'argument', path === '' ? issue.message : `${path}: ${issue.message}`)
}

/** The part of a schema that is used here. */
interface Known {
  readonly def: { readonly type: string; readonly innerType?: z.ZodType; readonly element?: z.ZodType }
}

/** Returns invalid values unchanged, so that the schema rejects them. */
function typed(schema: Known | undefined, value: QueryText[string]): unknown {
  const kind = schema?.def.type
  if (kind === 'array') {
    const element = schema?.def.element
    const list = typeof value === 'string' ? [value] : (value ?? [])
    return element === undefined ? list : list.map(each => typed(innermost(element), each))
  }
  if (kind === 'boolean' && (value === 'true' || value === 'false')) return value === 'true'
  if (kind === 'number' && typeof value === 'string' && /^-?\d{1,15}(?:\.\d{1,15})?$/.test(value)) return Number(value)
  return value
}

/** Removes the optional wrapper. */
function innermost(schema: z.ZodType): Known {
  const known = schema as z.ZodType & Known
  return known.def.type === 'optional' && known.def.innerType !== undefined ? innermost(known.def.innerType) : known
}
