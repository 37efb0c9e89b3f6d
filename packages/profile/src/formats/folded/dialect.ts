// The three kinds of lines that are all called folded. A file is of one kind throughout:
//
//   plain          main;run 17
//   differential   main;run 12 17                      before and after, as difffolded.pl writes them
//   extended       main;run 17 region=us,trace_id=0x… 1687841528000000000
//
// Without a header, and unless the caller says, a file is differential if each of its lines ends in two numbers, extended
// if one of them has attributes, and plain otherwise: a second number is then part of the frame's name.

export const DIALECTS = ['plain', 'differential', 'extended'] as const
export type Dialect = (typeof DIALECTS)[number]

export function parseDialect(text: string): Dialect | undefined {
  return DIALECTS.find(dialect => dialect === text)
}

/** The types of the two profiles that a differential file becomes. */
export const BEFORE = 'before'
export const AFTER = 'after'

/** What a file without a header holds. */
export const DEFAULT_TYPE = 'samples'
export const DEFAULT_UNIT = 'count'
