// API names of error kinds and event outcomes, e.g. `component-gone`.

export function kindName(kind: string): string {
  return kind.replaceAll(/[A-Z]/g, letter => `-${letter.toLowerCase()}`)
}
