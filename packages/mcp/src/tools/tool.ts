// The parts that all tools share: parameters, and the shape of a tool.
import type { HearthClient } from '@hearth/client'
import { z } from 'zod'
import { DEFAULT_TOKENS, MAX_TOKENS } from '../bounded-text.ts'

export interface Tool<Shape extends z.ZodRawShape = z.ZodRawShape> {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly input: Shape
  /** Whether it changes something, such as a capture. Others only read. */
  readonly acts?: boolean
  run(client: HearthClient, input: z.infer<z.ZodObject<Shape>>, signal: AbortSignal): Promise<string>
}

export function defineTool<Shape extends z.ZodRawShape>(tool: Tool<Shape>): Tool {
  return tool as unknown as Tool
}

export const range = {
  from: z.string().optional().describe('Start: now-1h, an ISO time, or nanoseconds since 1970. Default: now-1h'),
  to: z.string().optional().describe('End. Default: now'),
}

export const selector = z
  .string()
  .describe('Selector, for example cpu:ns{service.name="shop"} | frame "render". Use list_services for names and types')

export const maxTokens = z
  .int()
  .min(100)
  .max(MAX_TOKENS)
  .optional()
  .describe(`Maximum length of the response in tokens. Default: ${DEFAULT_TOKENS}`)

/** Removes properties that are undefined. */
export function given<Value extends object>(value: Value): { [Key in keyof Value]?: Exclude<Value[Key], undefined> } {
  return Object.fromEntries(Object.entries(value).filter(([, each]) => each !== undefined)) as never
}
