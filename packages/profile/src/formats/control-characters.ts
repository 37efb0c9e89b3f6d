// Distinguishes text from binary content.

/** Whether the bytes contain a control character other than tab, line break and escape. Text has none. */
export function hasControlCharacters(bytes: Uint8Array): boolean {
  return bytes.some(byte => byte < 0x20 && byte !== 0x09 && byte !== 0x0a && byte !== 0x0d && byte !== 0x1b)
}
