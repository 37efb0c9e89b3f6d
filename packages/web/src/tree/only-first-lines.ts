// Recognises profiles in which V8 recorded the first line of each function instead of the executing line.

export interface FunctionLine {
  readonly name: string
  readonly file: string
  readonly line: number
  readonly type: string
  readonly self: number
}

/** Functions of one file can share a name, so that a few of them seem to have several lines. */
const MIN_SHARE = 0.9

/**
 * Whether the functions of V8 have a single line each, by their self values. With executing lines, the functions with the largest values
 * have several.
 */
export function hasOnlyFirstLines(lines: Iterable<FunctionLine>): boolean {
  const functions = new Map<string, { readonly line: number; self: number; hasSeveral: boolean }>()
  let sum = 0
  for (const { name, file, line, type, self } of lines) {
    if (type !== 'v8js' || line <= 0) continue
    sum += self
    const key = `${file}\0${name}`
    const known = functions.get(key)
    if (known === undefined) functions.set(key, { line, self, hasSeveral: false })
    else {
      known.self += self
      known.hasSeveral ||= known.line !== line
    }
  }
  let single = 0
  for (const { self, hasSeveral } of functions.values()) if (!hasSeveral) single += self
  return functions.size > 1 && sum > 0 && single >= MIN_SHARE * sum
}
