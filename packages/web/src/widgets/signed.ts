/** The text of a change with its sign: `+0.5`, `−0.5`. The minus sign is as wide as the plus sign. */
export function signed(change: bigint | number, text: string): string {
  return change > 0 ? `+${text}` : text.replace(/^-/, '−')
}
