// The instructions of a function in a binary, with their source lines.
import { open } from 'node:fs/promises'
import type { FunctionCode, Segment, SymbolIndex } from '@hearth/profile'
import type { Instruction } from './capstone.ts'
import { disassemble } from './capstone.ts'

export interface SourceInstruction extends Instruction {
  /** The source of the innermost inlined call; empty and 0 if they are unknown. */
  readonly file: string
  readonly line: number
}

/** A binary with its code. */
export interface CodeFile {
  readonly path: string
  readonly machine: string
  readonly segments: readonly Segment[]
}

/** Longer functions are cut: nobody reads 64 KiB of instructions. */
const MAX_CODE_BYTES = 64 * 1024

export interface FunctionAssembly {
  readonly instructions: readonly SourceInstruction[]
  /** Bytes of the function behind the last instruction. */
  readonly skippedBytes: number
}

/** Undefined if the file does not hold the code. Reads only the code of the function. */
export async function functionAssembly(
  { path, machine, segments }: CodeFile,
  { start, end }: FunctionCode,
  index: SymbolIndex,
): Promise<FunctionAssembly | undefined> {
  const segment = segments.find(
    ({ executable, address, fileSize }) => executable && start >= address && start < address + BigInt(fileSize),
  )
  if (segment === undefined) return undefined
  const inSegment = Number(start - segment.address)
  const all = Math.min(Number(end - start), segment.fileSize - inSegment)
  const code = await readPart(path, segment.fileOffset + inSegment, Math.min(all, MAX_CODE_BYTES))
  const instructions = await disassemble(machine, code, start)
  return {
    instructions: instructions.map(instruction => {
      const [{ file, line } = { file: '', line: 0 }] = index.lookup(instruction.address)
      return { ...instruction, file, line }
    }),
    skippedBytes: Math.max(0, all - code.length),
  }
}

async function readPart(path: string, offset: number, length: number): Promise<Uint8Array> {
  const file = await open(path, 'r')
  try {
    const bytes = new Uint8Array(length)
    const { bytesRead } = await file.read(bytes, 0, length, offset)
    return bytes.subarray(0, bytesRead)
  } finally {
    await file.close()
  }
}
