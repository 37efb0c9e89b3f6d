// The address of a source line on a code host, by a template such as `https://git.example/{repo}/blob/{revision}/{path}#L{line}`.

export interface LinkedFile {
  /** `vcs.repository.url.full`, or a name such as `shop/api`. */
  readonly repo?: string | undefined
  /** `vcs.ref.head.revision`. */
  readonly revision?: string | undefined
  readonly path: string
}

/** The address of the file, with `{line}` for the number of a line. Undefined if the template needs a value that is unknown. */
export function sourceLink(template: string, file: LinkedFile): string | undefined {
  let isComplete = true
  const link = template.replaceAll(/\{(\w+)\}/g, (place: string, name: 'repo' | 'revision' | 'path' | 'line') => {
    if (name === 'line') return place
    const value = name === 'repo' ? repositoryName(file.repo) : file[name]
    if (value === undefined || value === '') isComplete = false
    return (value ?? '').replace(/^\/+/, '').split('/').map(encodeURIComponent).join('/')
  })
  return isComplete ? link : undefined
}

/** `https://git.example/shop/api.git` is the repository `shop/api`. */
function repositoryName(repo: string | undefined): string | undefined {
  if (repo === undefined || !URL.canParse(repo)) return repo
  return new URL(repo).pathname.replace(/^\/+/, '').replace(/\.git$/, '')
}
