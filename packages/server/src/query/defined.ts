// Optional settings that were not given.

export type Defined<T> = { [Key in keyof T]?: Exclude<T[Key], undefined> }

/** The object without properties that are undefined, for types with exact optional properties. */
export function defined<T extends object>(values: T): Defined<T> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Defined<T>
}
