// Files that the page's own server hands out, as `hearth view` does. No other server is asked, whatever a link says.

export class ForeignFileError extends Error {
  override readonly name = 'ForeignFileError'
}

/** The address of a file below the page's own path; `page` is that path, with a slash at its end. */
export function fileAddress(open: string, page: string): URL {
  const address = new URL(open, page)
  if (!address.href.startsWith(page)) throw new ForeignFileError(`${address.origin} is not where this page comes from`)
  return address
}

export async function fetchFile(address: URL, signal: AbortSignal): Promise<File> {
  const name = decodeURIComponent(address.pathname.slice(address.pathname.lastIndexOf('/') + 1))
  const answer = await fetch(address, { signal, redirect: 'error' })
  if (!answer.ok) {
    throw new Error(`${name} is no longer there (${answer.status}): start \`hearth view\` again`)
  }
  return new File([await answer.blob()], name)
}
