// A named view of the UI.
import { z } from 'zod'

export const viewFields = {
  name: z.string().trim().min(1).max(200).meta({ description: 'The name that people see' }),
  address: z
    .string()
    .min(1)
    .max(16_384)
    .regex(/^[a-z]+(?:\?|$)/, 'an address of the UI, such as explore?service=checkout')
    .meta({ description: 'Relative to the UI, such as explore?service=checkout' }),
}

export const savedView = z.strictObject({
  id: z.string(),
  ...viewFields,
  created: z.iso.datetime(),
  by: z.string().meta({ description: 'The name of the token or person' }),
})

export type SavedView = z.infer<typeof savedView>

export const MAX_VIEWS = 1000
