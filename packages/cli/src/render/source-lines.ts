// A function's source with the cost of each line. Without the text, only the lines with a cost are shown.
//
//   price(Item const&)  src/cart/price.cc
//       SELF   TOTAL  LINE
//                       11  int price(const Item& item) {
//      1.2 s   1.2 s    12    return item.cents * item.count;
import type { FunctionLines } from '@hearth/profile'
import { formatValue } from '@hearth/profile'
import { clipped, printable } from '../terminal/printable.ts'

/** Lines around those with a cost. */
const CONTEXT = 2

export interface ShownSource {
  readonly unit: string
  readonly text: string | undefined
  readonly width: number | undefined
}

export function sourceLines({ name, file, lines }: FunctionLines, { unit, text, width }: ShownSource): string[] {
  const rows = text?.split('\n').map(row => row.replace(/\r$/, ''))
  const costs = new Map(lines.map(cost => [cost.line, cost]))
  const shown = new Set<number>()
  for (const { line } of lines) {
    if (rows === undefined || line === 0) shown.add(line)
    else
      for (let near = line - CONTEXT; near <= line + CONTEXT; near++)
        if (near >= 1 && near <= Math.max(rows.length, line)) shown.add(near)
  }
  const output = [printable(`${name}  ${file === '' ? '(unknown source file)' : file}`), heading()]
  let previous: number | undefined
  for (const line of [...shown].sort((a, b) => a - b)) {
    if (previous !== undefined && rows !== undefined && line > previous + 1) output.push(`${' '.repeat(26)}…`)
    previous = line
    const cost = costs.get(line)
    const value = (amount: bigint | undefined): string =>
      (amount === undefined || amount === 0n ? '' : formatValue(amount, unit)).padStart(10)
    const number = (line === 0 ? '?' : String(line)).padStart(6)
    // Tabs would be escaped.
    const code = printable((line === 0 ? '(no line)' : (rows?.[line - 1] ?? '')).replaceAll('\t', '    '))
    const full = `${value(cost?.self)} ${value(cost?.total)} ${number}  ${code}`.trimEnd()
    output.push(width === undefined ? full : clipped(full, width))
  }
  return output
}

function heading(): string {
  return `${'SELF'.padStart(10)} ${'TOTAL'.padStart(10)} ${'LINE'.padStart(6)}`
}
