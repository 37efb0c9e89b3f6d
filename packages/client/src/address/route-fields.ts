// Parameters of an address as typed values. A field falls back to its default for invalid values and does not write the
// default. Addresses stay short, and old ones stay readable.

export interface Field<T> {
  /** Reads all values of the parameter; empty if it is missing. */
  readonly read: (values: readonly string[]) => T
  readonly write: (value: T) => readonly string[]
}

export function text(fallback = ''): Field<string> {
  return {
    read: values => values[0] ?? fallback,
    write: value => (value === fallback ? [] : [value]),
  }
}

export function choice<const T extends string>(options: readonly T[], fallback: NoInfer<T>): Field<T> {
  return {
    read: values => options.find(option => option === values[0]) ?? fallback,
    write: value => (value === fallback ? [] : [value]),
  }
}

export function flag(): Field<boolean> {
  return {
    read: values => values[0] === '1',
    write: value => (value ? ['1'] : []),
  }
}

/** Skips items that cannot be read. */
export function list<T>(read: (text: string) => T | undefined, write: (item: T) => string): Field<readonly T[]> {
  return {
    read: values => values.map(read).filter(item => item !== undefined),
    write: items => items.map(write),
  }
}

export const texts: Field<readonly string[]> = list(
  item => item,
  item => item,
)

/** The parameter name and field of each property. */
export type Fields<T> = { readonly [Key in keyof T]: readonly [parameter: string, field: Field<T[Key]>] }

export function readFields<T extends object>(fields: Fields<T>, query: URLSearchParams, prefix = ''): T {
  const entries = Object.entries(fields) as [string, readonly [string, Field<unknown>]][]
  return Object.fromEntries(
    entries.map(([key, [parameter, field]]) => [key, field.read(query.getAll(prefix + parameter))]),
  ) as T
}

export function writeFields<T extends object>(fields: Fields<T>, value: T, query: URLSearchParams, prefix = ''): void {
  for (const key of Object.keys(fields) as (keyof T)[]) {
    const [parameter, field] = fields[key]
    for (const item of field.write(value[key])) query.append(prefix + parameter, item)
  }
}

/** Several fields in one repeated parameter: `heat=rows.49&heat=range.120-340`. */
export function nested<T extends object>(fields: Fields<T>): Field<T> {
  return {
    read: values => {
      const query = new URLSearchParams()
      for (const value of values) {
        const dot = value.indexOf('.')
        if (dot > 0) query.append(value.slice(0, dot), value.slice(dot + 1))
      }
      return readFields(fields, query)
    },
    write: value => {
      const query = new URLSearchParams()
      writeFields(fields, value, query)
      return [...query].map(([key, each]) => `${key}.${each}`)
    },
  }
}
