// Schemas of fields that several responses have, with the functions that serialize their values.
// 64-bit numbers are decimal strings, because JSON numbers are exact only up to 2^53.
import type { AnyValue } from '@hearth/profile'
import { z } from 'zod'
import { anyValueJson } from '../../../store/attribute-text.ts'
import { nameSchema } from './schema-names.ts'

const INT64 = /^-?\d+$/

export const int64 = (description: string) => z.string().regex(INT64).meta({ description })
export const int64List = (description: string) => z.array(z.string().regex(INT64)).meta({ description })
/** Nanoseconds since 1970. */
export const time = (description: string) => int64(`${description}, in nanoseconds since 1970`)
export const nanoseconds = (description: string) => int64(`${description}, in nanoseconds`)
export const hex = (description: string) => z.string().meta({ description: `${description}, in hex` })
export const count = z.int().min(0)
export const truncated = z.boolean().meta({ description: 'Whether there are more' })
/** The response of a deletion: the name or id. */
export const removed = () => z.strictObject({ removed: z.string() })
export const next = z.string().optional().meta({ description: '`after` for the next page; missing on the last page' })

/** An attribute's value as in OTLP/JSON; an empty object if it has none. */
export const attributeValue = nameSchema(
  'AttributeValue',
  z.strictObject({
    stringValue: z.string().optional(),
    boolValue: z.boolean().optional(),
    intValue: z.string().regex(INT64).optional(),
    doubleValue: z.union([z.number(), z.enum(['NaN', 'Infinity', '-Infinity'])]).optional(),
    bytesValue: z.base64().optional(),
    get arrayValue() {
      return z.strictObject({ values: z.array(attributeValue) }).optional()
    },
    get kvlistValue() {
      return z.strictObject({ values: z.array(z.strictObject({ key: z.string(), value: attributeValue })) }).optional()
    },
  }),
)

export function valueJson(value: AnyValue): z.infer<typeof attributeValue> {
  return anyValueJson(value, doubleJson)
}

/** JSON has no numbers for NaN and the infinities. */
export function doubleJson(value: number): number | 'NaN' | 'Infinity' | '-Infinity' {
  return Number.isFinite(value) ? value : (String(value) as 'NaN' | 'Infinity' | '-Infinity')
}

export function hexOf(id: Uint8Array): string {
  return Buffer.from(id).toString('hex')
}

/** The response to every request that fails. */
export const failure = nameSchema(
  'Failure',
  z.strictObject({
    error: z.strictObject({
      code: z.string().meta({ description: 'One of a few stable codes, such as syntax or not-found' }),
      message: z.string(),
      position: count.optional().meta({ description: 'The position in the selector, in UTF-16 units' }),
    }),
  }),
)
