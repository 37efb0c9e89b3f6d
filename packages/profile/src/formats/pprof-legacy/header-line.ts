// The `name = value` lines that some dialects have between their first line and the samples.

/** Names may have blanks and slashes in them: `cycles/second`, `sampling period`. */
export const ATTRIBUTE_LINE = /^(\w[\w/]*(?: +[\w/]+)*) *= *(\w+(?: +\w+)*)$/
