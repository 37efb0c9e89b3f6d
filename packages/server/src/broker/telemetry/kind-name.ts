// Names of what went wrong, or of what became of an event, as the API and people have them: `component-gone`.

export function kindName(kind: string): string {
  return kind.replaceAll(/[A-Z]/g, letter => `-${letter.toLowerCase()}`)
}
