// The instructions of a function in local binaries, with their cost in profiles.
import type { Profiles, SymbolFiles } from '@hearth/profile'
import { baseName, calledCode, demangle, mappedBinary, stackWeights } from '@hearth/profile'
import { codeCosts, functionAssembly, instructionCosts } from '@hearth/server/administration'
import type { ShownCode } from '../render/instruction-lines.ts'

/** The functions with the name that have a cost, the largest self value first. */
export async function functionInstructions(
  profiles: Profiles,
  rows: readonly number[],
  name: string,
  folders: SymbolFiles,
): Promise<ShownCode[]> {
  const { dictionary } = profiles
  const symbols = new Map<number, ReturnType<SymbolFiles['find']>>()
  const codes = calledCode(dictionary, name, mapping => {
    if (!symbols.has(mapping)) symbols.set(mapping, folders.find(mappedBinary(profiles, mapping)))
    return symbols.get(mapping)
  })
  const { functions, byLocation } = codeCosts(codes, dictionary, stackWeights(profiles, rows))
  return await Promise.all(
    functions.map(async ({ code }) => {
      const binary = mappedBinary(profiles, code.mapping)
      const file = folders.code(binary)
      const { index } = symbols.get(code.mapping)!
      const assembly = file && (await functionAssembly(file, code, index))
      return {
        name: demangle(code.name) ?? code.name,
        binary: baseName(binary.filename),
        start: hex(code.start),
        end: hex(code.end),
        machine: assembly && file.machine,
        instructions: instructionCosts(assembly?.instructions ?? [], code.addresses, byLocation).map(each => ({
          ...each,
          address: hex(each.address),
        })),
        skippedBytes: assembly?.skippedBytes ?? 0,
      }
    }),
  )
}

function hex(address: bigint): string {
  return `0x${address.toString(16)}`
}
