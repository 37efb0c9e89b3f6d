// Selects the profile types with distinct events. Formats often write the same events twice, as a count and as an
// amount. A timeline would show each of them twice.

export interface CountedType {
  /** Such as `cpu:ns`. */
  readonly type: string
  readonly unit: string
  /** Equal for types of the same events, for example their number. */
  readonly alike: string
}

/** `chosen` is always included. */
export function distinctTypes(types: readonly CountedType[], chosen: string): string[] {
  const isCount = ({ unit }: CountedType): boolean => unit === 'count' || unit === '1' || unit === ''
  const says = (other: CountedType, { alike }: CountedType): boolean => !isCount(other) && other.alike === alike
  return types
    .filter(each => each.type === chosen || !isCount(each) || !types.some(other => says(other, each)))
    .map(({ type }) => type)
}
