// The instructions of a native function with their cost.
import { z } from 'zod'
import type { DisassembledFunction } from '../../../query/symbols/disassembly.ts'
import { rejectUnknownKeys } from '../request/check-keys.ts'
import { disassembly as queryDisassembly } from '../../../query/symbols/disassembly.ts'
import { defineQuery } from '../endpoint.ts'
import { measured, measuredJson, sum, SELF, TOTAL } from '../profiles/tree-json.ts'
import * as parameters from '../request/parameters.ts'
import { queryOf } from '../request/request-context.ts'
import { count, int64 } from '../response/fields.ts'
import { nameSchema } from '../response/schema-names.ts'

const instruction = nameSchema(
  'Instruction',
  z.strictObject({
    address: z.string().meta({ description: 'In the numbering of the file, in hex' }),
    text: z.string(),
    self: int64(SELF),
    total: int64(TOTAL),
    file: z.string().meta({ description: 'The source file; empty if it is unknown' }),
    line: count,
  }),
)

const disassembledFunction = nameSchema(
  'DisassembledFunction',
  z.strictObject({
    name: z.string(),
    binary: z.string().meta({ description: 'The file, without its folder' }),
    buildId: z.string(),
    start: z.string().meta({ description: 'In hex' }),
    end: z.string().meta({ description: 'The first address behind the function, in hex' }),
    self: int64(SELF),
    total: int64(TOTAL),
    machine: z
      .string()
      .optional()
      .meta({ description: 'x86_64 or aarch64; missing if the server does not have the code of the binary' }),
    instructions: z.array(instruction),
    skippedBytes: count.meta({ description: 'Code behind the last instruction, of very large functions' }),
  }),
)

const { selection, snapshots, times, observed, unlinked, spans } = parameters

export const disassembly = defineQuery({
  name: 'disassembly',
  path: '/disassembly',
  summary: 'The instructions of a native function with their cost, if the server has the code of the binary',
  request: z.strictObject({
    ...selection,
    snapshots,
    times,
    ...observed,
    unlinked,
    ...spans,
    function: z.string().min(1).max(65_536).meta({ description: 'The name of the function' }),
  }),
  response: z.strictObject({
    ...measured,
    sum,
    functions: z.array(disassembledFunction).meta({
      description: 'The three with the largest self values. If every call was inlined, the functions that contain them',
    }),
  }),
  async handle(context, request) {
    const query = queryOf(context, request)
    const found = await queryDisassembly(context.queries, query, request.function)
    if (found.profiles === 0) await rejectUnknownKeys(context, query)
    return { ...measuredJson(found), sum: found.sum.toString(), functions: found.functions.map(functionJson) }
  },
})

function functionJson(found: DisassembledFunction): z.infer<typeof disassembledFunction> {
  const { name, binary, buildId, machine, start, end, self, total, skippedBytes } = found
  return {
    name,
    binary,
    buildId,
    start: hex(start),
    end: hex(end),
    self: self.toString(),
    total: total.toString(),
    ...(machine === undefined ? {} : { machine }),
    instructions: found.instructions.map(each => ({
      address: hex(each.address),
      text: each.text,
      self: each.self.toString(),
      total: each.total.toString(),
      file: each.file,
      line: each.line,
    })),
    skippedBytes,
  }
}

function hex(address: bigint): string {
  return `0x${address.toString(16)}`
}
