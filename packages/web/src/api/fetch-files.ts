// Files that the UI's own server provides, for example for `hearth view`. No other server is contacted, whatever a link
// contains.

class ForeignFileError extends Error {
  override readonly name = 'ForeignFileError'
}

/** The address of a file below the path of the UI; `page` is that path, with a slash at its end. */
export function fileAddress(open: string, page: string): URL {
  const address = new URL(open, page)
  if (!address.href.startsWith(page)) throw new ForeignFileError(`${address.origin} is not the server of this UI`)
  return address
}

export async function fetchFile(address: URL, signal: AbortSignal): Promise<File> {
  const name = decodeURIComponent(address.pathname.slice(address.pathname.lastIndexOf('/') + 1))
  const response = await fetch(address, { signal, redirect: 'error' })
  if (!response.ok) {
    throw new Error(`${name} was not found (${response.status}); start \`hearth view\` again`)
  }
  return new File([await response.blob()], name)
}
