// Guesses the package, library or folder of a frame from its name and files. The guess decides only the colour of a box, so it
// matters more that it is stable than that it is right: the same frame always gives the same package.
//
//   github.com/gorilla/mux.(*Router).ServeHTTP        github.com/gorilla/mux
//   io/netty/channel/nio/NioEventLoop:.run            io.netty
//   tokio::runtime::task::harness::poll               tokio
//   parse    /srv/node_modules/@babel/core/lib/a.js   @babel/core
//   memcpy   libc.so.6                                libc.so
import { baseName } from '../../model/text/frame-name.ts'

export interface NamedFrame {
  readonly name: string
  readonly file: string
  readonly mapping: string
  /** The frame type. Empty if unknown. */
  readonly kind: string
}

const KERNEL = 'kernel'

/**
 * Maximum number of characters to inspect. More reveal nothing new, and the limit bounds the cost of the expressions
 * below.
 */
const MAX_LENGTH = 400

/** Returns an empty string if nothing is known. */
export function packageName({ name, file, mapping, kind }: NamedFrame): string {
  const library = baseName(mapping.slice(-MAX_LENGTH))
  if (kind === KERNEL || /^\[(?:guest\.)?kernel|^vmlinu[xz]|\.ko(?:\.[xg]z)?$/.test(library)) return KERNEL
  const start = name.slice(0, MAX_LENGTH)
  const path = file.slice(-MAX_LENGTH).replaceAll('\\', '/')
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

/** Recognises folders of package managers, which contain the package's name. */
function fromInstalled(path: string): string {
  if (path.startsWith('node:')) return 'node'
  const folder = /.*(?:^|\/)(?:node_modules|site-packages|dist-packages|gems)\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1]
  if (folder !== undefined) return folder.replace(/-\d[\w.]*$|\.py$/, '')
  return /\/lib\/(python|ruby)[\d.]*\//.exec(path)?.[1] ?? ''
}

/** `net/http.(*conn).serve`. Without a host at the start, only a .go file distinguishes it from other languages. */
function fromGo(name: string, path: string): string {
  if (!path.endsWith('.go') && !/^[\w-]+\.[\w.-]+\//.test(name)) return ''
  // Type arguments and receivers may contain slashes.
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
  // Unrelated projects share these names.
  const isShared = /^(?:org\.apache|com\.google|com\.github|com\.amazonaws)$/.test(`${parts[0]}.${parts[1]}`)
  return parts.slice(0, isShared ? 3 : 2).join('.')
}

/** The word before the first `::`. Namespaces and crates are lower case. Other words are classes, which reveal less. */
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
