// The three kinds of lines that are called folded. All lines of a file are of one kind:
//
//   plain          main;run 17
//   differential   main;run 12 17                      before and after, as difffolded.pl writes them
//   extended       main;run 17 region=us,trace_id=0x… 1687841528000000000
//
// Without a header or a choice by the caller, a file is differential if each line ends in two numbers, extended if a
// line has attributes, and plain otherwise. In a plain file a second number is part of the frame's name.

export const DIALECTS = ['plain', 'differential', 'extended'] as const
export type FoldedDialect = (typeof DIALECTS)[number]

export function parseDialect(text: string): FoldedDialect | undefined {
  return DIALECTS.find(dialect => dialect === text)
}

/** The types of the two profiles of a differential file. */
export const BEFORE = 'before'
export const AFTER = 'after'

/** Type and unit of a file without a header. */
export const DEFAULT_TYPE = 'samples'
export const DEFAULT_UNIT = 'count'
