// Decides which binaries are public. A request to a debuginfod server tells it which build id runs here, so that only those of
// distributions are requested.
import { basename, dirname } from 'node:path'

/** Folders that only the package manager of a distribution writes to. */
const SYSTEM_FOLDERS = /^\/(?:usr\/)?(?:lib|lib32|lib64|libx32|bin|sbin|libexec)(?:\/|$)/

/** `patterns` are names with `*` for any text. */
export function isPublicBinary(filename: string, patterns: readonly string[]): boolean {
  if (SYSTEM_FOLDERS.test(dirname(filename))) return true
  const name = basename(filename)
  return patterns.some(pattern => matches(name, pattern))
}

/** Linear in the text: compares the parts between the stars from left to right. */
function matches(name: string, pattern: string): boolean {
  const parts = pattern.split('*')
  if (parts.length === 1) return name === pattern
  const [first, ...rest] = parts
  const last = rest.pop()!
  if (!name.startsWith(first) || !name.endsWith(last) || name.length < first.length + last.length) return false
  let at = first.length
  for (const part of rest) {
    const found = name.indexOf(part, at)
    if (found < 0 || found + part.length > name.length - last.length) return false
    at = found + part.length
  }
  return true
}
