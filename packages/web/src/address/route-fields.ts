// Parts of an address's query as typed values: each field reads what is there, falls back where that has no sense, and
// writes nothing where the value is what it falls back to. So addresses stay short and old ones stay readable.

export interface Field<T> {
  /** All values of the parameter, none where it is missing. */
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

/** Items that cannot be read are left out. */
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

/** For each property its parameter's name and field. */
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

/** Many things in one parameter, which comes as often as there is something to say: `heat=rows.49&heat=range.120-340`. */
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
