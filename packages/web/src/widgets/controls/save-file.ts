// Saves bytes as a download.
const FREED_AFTER_MS = 60_000

export function saveFile(name: string, content: Blob | Uint8Array | string): void {
  const blob = content instanceof Blob ? content : new Blob([content as string | Uint8Array<ArrayBuffer>])
  const url = URL.createObjectURL(blob)
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), FREED_AFTER_MS)
}

/** Replaces characters that some systems do not allow in file names. */
export function fileName(...parts: readonly string[]): string {
  const words = parts.filter(part => part !== '').map(part => part.replaceAll(/[^\w.-]+/g, '-'))
  return words.join('-').slice(0, 120)
}
