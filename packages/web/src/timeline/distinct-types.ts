// Which types of profiles are events of their own. Formats often write the same events twice, as how many and as how much:
// on a line of time that would be everything twice.

export interface CountedType {
  /** As `cpu:ns`. */
  readonly type: string
  readonly unit: string
  /** What those of the same events have in common, as how many there are. */
  readonly alike: string
}

/** `chosen` is among them in any case. */
export function distinctTypes(types: readonly CountedType[], chosen: string): string[] {
  const isCount = ({ unit }: CountedType): boolean => unit === 'count' || unit === '1' || unit === ''
  const says = (other: CountedType, { alike }: CountedType): boolean => !isCount(other) && other.alike === alike
  return types
    .filter(each => each.type === chosen || !isCount(each) || !types.some(other => says(other, each)))
    .map(({ type }) => type)
}
