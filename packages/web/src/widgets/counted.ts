// Formats a count with its noun: `1 instance`, `2,000 instances`.
export function counted(count: number, one: string): string {
  return `${count.toLocaleString('en')} ${one}${count === 1 ? '' : 's'}`
}
