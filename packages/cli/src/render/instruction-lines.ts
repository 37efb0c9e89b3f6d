// The instructions of a function with their cost.
//
//   price(Item const&)  app 0x1160–0x11a4, x86_64
//       SELF      TOTAL  ADDRESS     INSTRUCTION
//      1.2 s      1.2 s  0x1164      mov eax, dword ptr [rdi]                 price.cc:12
import { baseName, formatValue } from '@hearth/profile'
import { clipped, printable } from '../terminal/printable.ts'

export interface ShownInstruction {
  readonly address: string
  readonly text: string
  readonly self: bigint
  readonly total: bigint
  readonly file: string
  readonly line: number
}

export interface ShownCode {
  readonly name: string
  readonly binary: string
  readonly start: string
  readonly end: string
  /** Undefined if the code is not there. */
  readonly machine: string | undefined
  readonly instructions: readonly ShownInstruction[]
  readonly skippedBytes: number
}

const TEXT_COLUMNS = 44

export function instructionLines(code: ShownCode, unit: string, width: number | undefined): string[] {
  const { name, binary, start, end, machine, instructions, skippedBytes } = code
  const place = `${binary} ${start}–${end}${machine === undefined ? '' : `, ${machine}`}`
  const output = [printable(`${name}  ${place}`)]
  if (machine === undefined) return [...output, '  The code of the binary is not there, only its symbols.']
  output.push(`${'SELF'.padStart(10)} ${'TOTAL'.padStart(10)}  ${'ADDRESS'.padEnd(18)}INSTRUCTION`)
  let previous = ''
  for (const { address, text, self, total, file, line } of instructions) {
    const value = (amount: bigint): string => (amount === 0n ? '' : formatValue(amount, unit)).padStart(10)
    const source = line > 0 ? `${baseName(file)}:${line}` : ''
    const shown = source === previous ? '' : source
    previous = source
    const full = printable(
      `${value(self)} ${value(total)}  ${address.padEnd(18)}${text.padEnd(TEXT_COLUMNS)} ${shown}`.trimEnd(),
    )
    output.push(width === undefined ? full : clipped(full, width))
  }
  return skippedBytes > 0 ? [...output, `  and ${skippedBytes} more bytes of code`] : output
}
