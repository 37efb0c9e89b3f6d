// Formats a count with its noun: `1 instance`, `2,000 instances`.
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString('en')} ${count === 1 ? one : many}`
}
