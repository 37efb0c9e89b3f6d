// Which package, library or folder a frame belongs to, from what little its name and files tell. It decides the colour of
// a box and nothing else, so a guess that is steady beats one that is right: the same frame gives the same answer always.
//
//   github.com/gorilla/mux.(*Router).ServeHTTP        github.com/gorilla/mux
//   io/netty/channel/nio/NioEventLoop:.run            io.netty
//   tokio::runtime::task::harness::poll               tokio
//   parse    /srv/node_modules/@babel/core/lib/a.js   @babel/core
//   memcpy   libc.so.6                                libc.so

export interface NamedFrame {
  readonly name: string
  readonly file: string
  readonly mapping: string
  /** The frame type; empty where it is not known. */
  readonly kind: string
}

export const KERNEL = 'kernel'

/** More than this of a name or path tells nothing new, and bounds what the expressions below may cost. */
const ENOUGH = 400

/** Empty where nothing tells. */
export function packageName({ name, file, mapping, kind }: NamedFrame): string {
  const library = baseName(mapping.slice(-ENOUGH))
  if (kind === KERNEL || /^\[(?:guest\.)?kernel|^vmlinu[xz]|\.ko(?:\.[xg]z)?$/.test(library)) return KERNEL
  const start = name.slice(0, ENOUGH)
  const path = file.slice(-ENOUGH).replaceAll('\\', '/')
  return (
    fromInstalled(path) ||
    fromGo(start, path) ||
    fromJava(start) ||
    fromNamespace(start, /^[a-z_]/) ||
    fromFolder(path) ||
    library.replace(/(\.so|\.dylib)[\d.]*$/, '$1') ||
    fromNamespace(start, /^\w/) ||
    kind
  )
}

/** What a package manager put there: the folder says its name. */
function fromInstalled(path: string): string {
  if (path.startsWith('node:')) return 'node'
  const folder = /.*(?:^|\/)(?:node_modules|site-packages|dist-packages|gems)\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1]
  if (folder !== undefined) return folder.replace(/-\d[\w.]*$|\.py$/, '')
  return /\/lib\/(python|ruby)[\d.]*\//.exec(path)?.[1] ?? ''
}

/** `net/http.(*conn).serve`. Without a host in front only a .go file tells it from other languages. */
function fromGo(name: string, path: string): string {
  if (!path.endsWith('.go') && !/^[\w-]+\.[\w.-]+\//.test(name)) return ''
  // Type arguments and receivers may hold slashes of their own.
  const slash = name.lastIndexOf('/', name.search(/[([]|$/))
  const dot = name.indexOf('.', slash + 1)
  if (dot < 0) return ''
  const parts = name.slice(0, dot).split('/')
  return parts.slice(0, parts[0].includes('.') ? 3 : 2).join('/')
}

/** `io.netty.channel.Channel.read`, also with slashes and as `Lio/netty/…;::read`. */
function fromJava(name: string): string {
  const folders = /^L?((?:[a-z_][a-z0-9_]*[./]){2,})[\w$]/.exec(name)?.[1]
  if (folders === undefined) return ''
  const parts = folders.split(/[./]/).slice(0, -1)
  // These names are shared by projects that have little to do with one another.
  const isShared = /^(?:org\.apache|com\.google|com\.github|com\.amazonaws)$/.test(`${parts[0]}.${parts[1]}`)
  return parts.slice(0, isShared ? 3 : 2).join('.')
}

/** The word before the first `::`. Namespaces and crates are in lower case; what is not is a class, which tells less. */
function fromNamespace(name: string, like: RegExp): string {
  const colons = name.indexOf('::')
  if (colons < 0) return ''
  const before = name.slice(0, colons)
  const word = /\w+$/.exec((before.endsWith('>') ? before.slice(0, before.indexOf('<')) : before).slice(-60))?.[0] ?? ''
  return like.test(word) ? word : ''
}

function fromFolder(path: string): string {
  const folders = path.split('/').slice(0, -1)
  return folders
    .filter(folder => folder !== '' && folder !== '.' && folder !== '..' && !folder.endsWith(':'))
    .slice(-2)
    .join('/')
}

function baseName(path: string): string {
  return path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1)
}
