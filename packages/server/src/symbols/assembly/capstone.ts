// Turns machine code into text with Capstone, a disassembler in WebAssembly. It is loaded when the first function is disassembled.

export interface Instruction {
  readonly address: bigint
  readonly size: number
  /** In Intel's syntax for x86-64: `mov eax, dword ptr [rdi]`. */
  readonly text: string
}

/** The part of the package that is used. It has no types of its own. */
interface Capstone {
  readonly ARCH_X86: number
  readonly ARCH_ARM64: number
  readonly MODE_64: number
  readonly MODE_ARM: number
  readonly OPT_SKIPDATA: number
  readonly OPT_ON: number
  readonly Capstone: new (
    architecture: number,
    mode: number,
  ) => {
    option: (option: number, value: number) => void
    disasm: (
      code: Uint8Array,
      address: bigint,
    ) => readonly { address: bigint; size: number; mnemonic: string; op_str: string }[]
    close: () => void
  }
}

export const MACHINES_WITH_ASSEMBLY: ReadonlySet<string> = new Set(['x86_64', 'aarch64'])

let loading: Promise<Capstone> | undefined

/** Bytes that are no instruction become `.byte`. Throws RangeError for other machines. */
export async function disassemble(machine: string, code: Uint8Array, address: bigint): Promise<Instruction[]> {
  if (!MACHINES_WITH_ASSEMBLY.has(machine)) throw new RangeError(`no disassembler for ${machine}`)
  if (code.length === 0) return []
  const capstone = await (loading ??= load())
  const isArm = machine === 'aarch64'
  const decoder = isArm
    ? new capstone.Capstone(capstone.ARCH_ARM64, capstone.MODE_ARM)
    : new capstone.Capstone(capstone.ARCH_X86, capstone.MODE_64)
  try {
    decoder.option(capstone.OPT_SKIPDATA, capstone.OPT_ON)
    return decoder.disasm(code, address).map(({ address: at, size, mnemonic, op_str: operands }) => ({
      address: at,
      size,
      text: operands === '' ? mnemonic : `${mnemonic} ${operands}`,
    }))
  } finally {
    decoder.close()
  }
}

async function load(): Promise<Capstone> {
  // @ts-expect-error: the package has no types.
  const { default: open } = (await import('@alexaltea/capstone-js')) as { readonly default: () => Promise<Capstone> }
  return await open()
}
