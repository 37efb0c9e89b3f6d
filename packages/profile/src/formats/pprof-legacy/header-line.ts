// The `name = value` lines between the first line and the samples of some dialects.

/** Names can contain spaces and slashes: `cycles/second`, `sampling period`. */
export const ATTRIBUTE_LINE = /^(\w[\w/]*(?: +[\w/]+)*) *= *(\w+(?: +\w+)*)$/
