// Recognises frames that are not the user's own code, by language: the runtime with its standard library, installed
// libraries, and the kernel. The rules use only names and files, because few profilers report more.
import type { FrameTable } from '../tree/frame-table.ts'
import { isFunction } from '../tree/frame-table.ts'

/** Code that users did not write. The order is that of menus. */
export const FRAME_ORIGINS = [
  'go-runtime',
  'go-libraries',
  'node-runtime',
  'node-libraries',
  'jvm-runtime',
  'jvm-libraries',
  'python-runtime',
  'python-libraries',
  'ruby-runtime',
  'ruby-libraries',
  'rust-runtime',
  'rust-libraries',
  'dotnet-runtime',
  'native-libraries',
  'kernel',
] as const
export type FrameOrigin = (typeof FRAME_ORIGINS)[number]

/** Longer names say nothing more, and the limit bounds the cost of the expressions. */
const MAX_LENGTH = 400

/** Returns undefined for the user's own code, and for code that no rule recognises. */
export function frameOrigin(frames: FrameTable, i: number): FrameOrigin | undefined {
  if (!isFunction(frames, i)) return undefined
  const type = frames.type[i]
  const name = frames.name[i].slice(0, MAX_LENGTH)
  const file = frames.file[i].slice(-MAX_LENGTH).replaceAll('\\', '/')
  const library = frames.mapping[i].slice(-MAX_LENGTH)
  if (type === 'kernel' || name.endsWith('_[k]') || /^\[(?:guest\.)?kernel|\/vmlinu[xz]/.test(library)) return 'kernel'
  return byFile(file) ?? byName(name, file, type) ?? byLibrary(library)
}

/** Folders of package managers and of language installations. */
function byFile(file: string): FrameOrigin | undefined {
  if (file === '') return undefined
  if (/(?:^|\/)node_modules\//.test(file)) return 'node-libraries'
  if (/^(?:node|internal):/.test(file)) return 'node-runtime'
  if (/(?:site|dist)-packages\//.test(file)) return 'python-libraries'
  if (/\/lib\/python[\d.]+\/|^<frozen /.test(file)) return 'python-runtime'
  if (/\/gems\/[^/]+-\d/.test(file)) return 'ruby-libraries'
  if (/\/lib\/ruby\/[\d.]+\//.test(file)) return 'ruby-runtime'
  if (/\/registry\/src\/[^/]+\//.test(file)) return 'rust-libraries'
  if (/\/rustc\/[^/]+\/library\//.test(file)) return 'rust-runtime'
  if (/\/pkg\/mod\/|\/vendor\/.*\.go$/.test(file)) return 'go-libraries'
  if (/(?:^|\/)go(?:root)?[\d.]*\/src\/(?:[a-z]+\/)*[\w.]+\.go$/i.test(file)) return 'go-runtime'
  return undefined
}

function byName(name: string, file: string, type: string): FrameOrigin | undefined {
  if (type === 'go' || file.endsWith('.go') || (type === '' && /^runtime\.[\w(]/.test(name))) return goOrigin(name)
  if (type === 'v8js' && file === '') return 'node-runtime'
  if (/^\((?:program|idle|root|garbage collector)\)$/.test(name)) return 'node-runtime'
  if (type === 'dotnet' || file.endsWith('.cs')) {
    return /^(?:[\w.]+!)?(?:System|Microsoft|Interop|Internal)\./.test(name) ? 'dotnet-runtime' : undefined
  }
  if (type === 'rust' || type === '' || type === 'native') {
    const crate = /^<?&?(?:mut )?([a-z_]\w*)::/.exec(name)?.[1]
    if (crate !== undefined && /^(?:std|core|alloc|rustc_demangle|__rust\w*)$/.test(crate)) return 'rust-runtime'
  }
  const isJvm = type === 'jvm' || /\.(?:java|kt|scala|groovy|clj)$/.test(file)
  return isJvm || /^(?:[a-z_]\w*[./]){1,12}[A-Z][\w$]*[.#]/.test(name)
    ? jvmOrigin(name.replaceAll('/', '.'))
    : undefined
}

/** Packages of the standard library have no dot in their first part, unlike modules such as github.com/org/repo. */
function goOrigin(name: string): FrameOrigin | undefined {
  const path = /^[^([]*/.exec(name)?.[0] ?? ''
  const first = path.split('/')[0]
  if (path.includes('/')) return first.includes('.') ? undefined : STANDARD_GO.has(first) ? 'go-runtime' : undefined
  return STANDARD_GO.has(first.split('.')[0]) ? 'go-runtime' : undefined
}

const STANDARD_GO = new Set(
  (
    'archive bufio bytes cmp compress container context crypto database debug embed encoding errors expvar flag fmt go hash html ' +
    'image index internal io iter log maps math mime net os path plugin reflect regexp runtime slices sort strconv strings sync ' +
    'syscall testing text time unicode unique unsafe vendor'
  ).split(' '),
)

function jvmOrigin(name: string): FrameOrigin | undefined {
  if (/^(?:java|javax|jdk|sun|com\.sun|jakarta|kotlin|scala|groovy|clojure)\./.test(name)) return 'jvm-runtime'
  const known =
    /^(?:org\.(?:apache|springframework|eclipse|hibernate|jboss|slf4j|glassfish|postgresql|jetbrains)|io\.(?:netty|grpc|vertx|micrometer|opentelemetry|undertow|reactivex|micronaut|quarkus)|com\.(?:fasterxml|google|zaxxer|mysql|squareup|github)|reactor|ch\.qos|akka|okhttp3|okio|kotlinx)\./
  return known.test(name) ? 'jvm-libraries' : undefined
}

/** Libraries of the system, such as libc. */
function byLibrary(library: string): FrameOrigin | undefined {
  const file = library.slice(library.search(/[^/]*$/))
  return /^(?:lib[\w+-]+|ld-[\w-]+)(?:[-.][\d.]+)?\.(?:so(?:\.[\d.]+)?|dylib)$|^\[vdso\]$/.test(file)
    ? 'native-libraries'
    : undefined
}

/** The origins that occur, in the order of menus. */
export function originsIn(frames: FrameTable): FrameOrigin[] {
  const found = new Set<FrameOrigin | undefined>()
  for (let i = 0; i < frames.length; i++) found.add(frameOrigin(frames, i))
  return FRAME_ORIGINS.filter(origin => found.has(origin))
}
