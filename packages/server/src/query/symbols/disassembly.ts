// The instructions of a function with their cost in the selected profiles.
import type { CalledCode, LocationCost } from '@hearth/profile'
import { baseName, calledCode, demangle } from '@hearth/profile'
import { functionAssembly } from '../../symbols/assembly/function-assembly.ts'
import type { CodeCosts, CostedInstruction } from '../../symbols/assembly/instruction-costs.ts'
import { codeCosts, instructionCosts } from '../../symbols/assembly/instruction-costs.ts'
import { segmentsOf } from '../../symbols/about-file.ts'
import type { Query } from '../query.ts'
import type { QueryContext } from '../query-context.ts'
import type { Resident } from '../resident/residents.ts'
import type { Measured } from '../trees/summed-stacks.ts'
import { sumByStack } from '../trees/summed-stacks.ts'

export interface DisassembledFunction extends LocationCost {
  readonly name: string
  /** The file of the binary, without its folder. */
  readonly binary: string
  readonly buildId: string
  readonly start: bigint
  readonly end: bigint
  /** Undefined if the server does not have the code of the binary. */
  readonly machine: string | undefined
  readonly instructions: readonly CostedInstruction[]
  readonly skippedBytes: number
}

export interface Disassembly extends Measured {
  readonly sum: bigint
  /** The largest self value first. Empty if no function of native code has the name. */
  readonly functions: readonly DisassembledFunction[]
}

const MAX_FUNCTIONS = 3

export async function disassembly(context: QueryContext, query: Query, name: string): Promise<Disassembly> {
  const { measured, resident, stacks, sums, sum } = await sumByStack(context, query)
  const { dictionary, native } = resident.symbols
  const found = calledCode(dictionary, name, mapping => native.binary(mapping)?.symbols)
  const costs = codeCosts(found, dictionary, { stacks, weight: sums.weight, exact: sums.exact })
  const largest = costs.functions.slice(0, MAX_FUNCTIONS)
  const functions = await Promise.all(
    largest.map(({ code, cost }) => disassembled(resident, code, cost, costs.byLocation)),
  )
  context.residents.trim()
  return { ...measured, sum, functions }
}

async function disassembled(
  { symbols: { native } }: Resident,
  called: CalledCode,
  cost: LocationCost,
  costs: CodeCosts['byLocation'],
): Promise<DisassembledFunction> {
  const binary = native.binary(called.mapping)
  const place = native.place(called.mapping)?.binary
  const code = binary?.found.index === undefined ? undefined : binary.found.code
  const assembly =
    code === undefined || binary?.symbols === undefined
      ? undefined
      : await functionAssembly({ ...code, segments: segmentsOf(code.segments) }, called, binary.symbols.index)
  return {
    name: demangle(called.name) ?? called.name,
    binary: baseName(place?.filename ?? ''),
    buildId: place?.buildIds.gnu ?? place?.buildIds.go ?? place?.buildIds.htlhash ?? '',
    start: called.start,
    end: called.end,
    ...cost,
    machine: assembly === undefined ? undefined : code?.machine,
    instructions: instructionCosts(assembly?.instructions ?? [], called.addresses, costs),
    skippedBytes: assembly?.skippedBytes ?? 0,
  }
}
