// Schemas of parameters that endpoints of the Broker share.
import { z } from 'zod'

export const required = (description: string) => z.string().min(1).max(1024).meta({ description })
export const name = (description: string) => z.string().min(1).max(1024).optional().meta({ description })
export const hexId = (digits: number, description: string) =>
  z
    .string()
    .regex(new RegExp(`^[0-9a-fA-F]{${digits}}$`), `${digits} hex digits`)
    .toLowerCase()
    .optional()
    .meta({ description })
