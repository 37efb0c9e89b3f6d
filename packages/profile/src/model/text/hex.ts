// Bytes as lower-case hex digits.

export function hexOf(bytes: Uint8Array, separator = ''): string {
  return Array.from(bytes, byte => byte.toString(16).padStart(2, '0')).join(separator)
}
