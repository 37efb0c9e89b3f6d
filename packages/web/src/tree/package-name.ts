// Finds the package of a frame, for colours and groups, by rules per language over function and file names. Rules are
// tried in order. Only names are reliable, because few profilers report packages.

export interface FrameNames {
  readonly name: string
  readonly file: string
  readonly mapping: string
  /** profile.frame.type. */
  readonly type: string
}

interface Rule {
  readonly language: string
  /** Returns the package, or undefined if the rule does not apply. */
  find(frame: FrameNames): string | undefined
}

const RULES: readonly Rule[] = [
  {
    language: 'kernel',
    find: ({ name, mapping, type }) =>
      type === 'kernel' || name.endsWith('_[k]') || mapping.startsWith('[kernel') || mapping.includes('/vmlinux')
        ? 'kernel'
        : undefined,
  },
  // node_modules/@scope/name/..., node_modules/name/...; the innermost of nested ones.
  {
    language: 'JavaScript',
    find: ({ file }) => lastMatch(file, /node_modules\/(?:\.pnpm\/[^/]+\/node_modules\/)?(@[^/]+\/[^/]+|[^/@][^/]*)/g),
  },
  { language: 'Node.js', find: ({ file }) => /^(node:[\w]+)/.exec(file)?.[1] },
  {
    language: 'V8',
    find: ({ name, file, type }) =>
      file === '' && (type === 'v8js' || /^\((?:program|idle|root|garbage collector)\)$/.test(name)) ? 'v8' : undefined,
  },
  // site-packages/requests/sessions.py, dist-packages/yaml.py; lib/python3.12/json/decoder.py belongs to the standard
  // library.
  { language: 'Python', find: ({ file }) => lastMatch(file, /(?:site|dist)-packages\/([^/]+?)(?:\.pyc?)?(?=\/|$)/g) },
  { language: 'Python', find: ({ file }) => /\/lib\/python[\d.]+\/([^/]+?)(?:\.py)?(?:\/|$)/.exec(file)?.[1] },
  { language: 'Python', find: ({ file }) => /^<frozen ([\w]+)/.exec(file)?.[1] },
  // .cargo/registry/src/index-hash/serde-1.0.2/src/..., /rustc/hash/library/core/src/...
  { language: 'Rust', find: ({ file }) => /\/registry\/src\/[^/]+\/([^/]+?)-\d+\.[^/]*\//.exec(file)?.[1] },
  { language: 'Rust', find: ({ file }) => /\/rustc\/[^/]+\/library\/([^/]+)\//.exec(file)?.[1] },
  // github.com/org/repo/pkg.(*T).Method, net/http.HandlerFunc, runtime.gcBgMarkWorker.func2, vendored and versioned paths.
  { language: 'Go', find: goPackage },
  // org.apache.kafka.clients.NetworkClient.poll, java/lang/Thread.run, com.acme.App$Inner.lambda$run$0
  { language: 'Java', find: javaPackage },
  // <serde_json::de::Deserializer as core::Trait>::method, std::vector<int>::push_back, v8::internal::Heap::Collect
  { language: 'Rust and C++', find: ({ name }) => namespaceOf(name) },
  { language: 'C#', find: ({ name, file }) => (file.endsWith('.cs') ? dotted(name.replace(/^.*!/, '')) : undefined) },
  // handlers.orders.checkout from a Python file, as some profilers write names.
  {
    language: 'Python',
    find: ({ name, file }) =>
      file.endsWith('.py') && name.includes('.') ? /^[\w.]+?(?=\.)/.exec(name)?.[0] : undefined,
  },
]

/**
 * If no rule applies, returns the directory of the file, the library, or the name up to the first dot. Returns an empty
 * text if nothing is known.
 */
export function packageOf(frame: FrameNames): string {
  for (const rule of RULES) {
    const found = rule.find(frame)
    if (found !== undefined && found !== '') return found
  }
  // `http` for http.Server.Serve: folded stacks contain only names.
  return (
    directoryOf(frame.file) || baseName(frame.mapping) || (/^([A-Za-z_][\w-]*)\.[\w(*]/.exec(frame.name)?.[1] ?? '')
  )
}

function goPackage({ name, file, type }: FrameNames): string | undefined {
  const go = type === 'go' || file.endsWith('.go') || (file === '' && /^[\w.-]+\.[a-z]+\/[\w./-]+\.\(?\*?\w/.test(name))
  if (!go) return undefined
  // The package ends at the first dot after the last slash. Type arguments are removed first, because they contain
  // slashes too.
  const plain = name.replace(/\[.*/s, '')
  const slash = plain.replace(/\(.*/, '').lastIndexOf('/')
  const dot = plain.indexOf('.', slash + 1)
  if (dot <= 0) return undefined
  // Removes the major version of a module, such as v2. %2e is a dot in the last part of a path.
  return plain
    .slice(0, dot)
    .replace(/\/v\d+$/, '')
    .replaceAll('%2e', '.')
}

function javaPackage({ name, file, type }: FrameNames): string | undefined {
  const slashed = /^\[?L?((?:[a-z_][\w$]*\/)+)[A-Z$_]/.exec(name)
  if (slashed !== null && (type === 'jvm' || file === '' || isJvmFile(file))) return firstParts(slashed[1].split('/'))
  if (type !== 'jvm' && !isJvmFile(file) && !/^(?:[a-z_][\w$]*\.){1,12}[A-Z][\w$]*[.#][\w$<]/.test(name))
    return undefined
  const dotted = /^((?:[a-z_][\w$]*\.)+)[A-Z$_]/.exec(name)
  return dotted === null ? undefined : firstParts(dotted[1].split('.'))
}

function isJvmFile(file: string): boolean {
  return /\.(?:java|kt|scala|groovy|clj)$/.test(file)
}

/** org.apache.kafka for org.apache.kafka.clients.consumer: the name of a library has about three parts. */
function firstParts(parts: readonly string[]): string {
  return parts
    .filter(part => part !== '')
    .slice(0, 3)
    .join('.')
}

/** The first part before `::`, without return types, `<T as Trait>` and anonymous namespaces. */
function namespaceOf(name: string): string | undefined {
  if (!name.includes('::')) return undefined
  const plain = name
    .replace(/^(?:non-virtual thunk to |void |bool |int |auto |static )+/, '')
    .replaceAll('(anonymous namespace)::', '')
  return /^[<&*]*(?:(?:dyn|mut|impl|const) )*([A-Za-z_]\w*)(?:<|::)/.exec(plain)?.[1]
}

function dotted(name: string): string | undefined {
  return /^(\w+(?:\.\w+)?)\./.exec(name)?.[1]
}

function lastMatch(text: string, expression: RegExp): string | undefined {
  if (text === '') return undefined
  return [...text.matchAll(expression)].at(-1)?.[1]
}

function directoryOf(file: string): string {
  const parts = file.replace(/^[a-z][a-z+.-]*:\/\/[^/]*/i, '').split(/[/\\]/)
  return parts
    .slice(0, -1)
    .slice(-2)
    .filter(part => part !== '' && part !== '.')
    .join('/')
}

function baseName(path: string): string {
  return path.slice(path.search(/[^/\\]*$/)).replace(/\.so(?:\.[\d.]+)?$/, '')
}

/**
 * The name without its package and arguments, for boxes too narrow for the whole name: `(*T).Method` for
 * `github.com/org/repo/pkg.(*T).Method`, `Vec<T>::push` for `alloc::vec::Vec<T>::push`. Returns short names unchanged.
 */
export function shortNameOf(name: string): string {
  const bare = name.replace(/^([^(]+?)\((?!\*|anonymous)[^()]*\)(?: const)?$/, '$1')
  const slash = lastTop(bare, '/')
  // A path of Go or of a script: the part after the last slash, and for Go after the dot of the package.
  if (slash > 0) return bare.slice(slash + 1).replace(/^[\w-]+\.(?=[(\w])/, '')
  const colons = topColons(bare)
  if (colons.length > 1) return bare.slice(colons[colons.length - 2] + 2)
  const parts = /^(?:[a-z_][\w$]*\.){2,}([A-Z$_].*)$/.exec(bare)
  return parts === null ? bare : parts[1]
}

/** An even shorter name: `vector<…>::push_back`, and `method` for `<Type as Trait>::method`. */
export function shortestNameOf(name: string): string {
  let text = ''
  let depth = 0
  for (let i = 0; i < name.length; i++) {
    const isTemplate = name[i] === '<' && !/(?:operator<?|^)$/.test(text)
    if (depth === 0 && !isTemplate && !(name[i] === '<' && i === 0)) text += name[i]
    if (name[i] === '<' && (depth > 0 || isTemplate || i === 0)) {
      if (depth === 0) text += '<…'
      depth++
    } else if (depth > 0 && isClosing(name, i) && name[i] === '>' && --depth === 0) text += '>'
  }
  return depth > 0 ? name : text.replace(/^<…>::/, '')
}

/** The last index of a character outside of brackets. */
function lastTop(text: string, character: string): number {
  let depth = 0
  for (let i = text.length - 1; i >= 0; i--) {
    if (isClosing(text, i)) depth++
    else if (isOpening(text, i)) depth--
    else if (depth === 0 && text[i] === character) return i
  }
  return -1
}

function topColons(text: string): number[] {
  const found: number[] = []
  let depth = 0
  for (let i = 0; i + 1 < text.length; i++) {
    if (isOpening(text, i)) depth++
    else if (isClosing(text, i)) depth--
    else if (depth === 0 && text[i] === ':' && text[i + 1] === ':') found.push(i++)
  }
  return found
}

function isOpening(text: string, i: number): boolean {
  return '<([{'.includes(text[i])
}

/** The `>` of `->` closes no bracket. */
function isClosing(text: string, i: number): boolean {
  return '>)]}'.includes(text[i]) && !(text[i] === '>' && text[i - 1] === '-')
}

/** Splits a name before its method, with its class: `github.com/org/repo/pkg.` and `(*T).Method`. The parts join to the name. */
export function splitName(name: string): readonly [qualifier: string, method: string] {
  const at = name.lastIndexOf(shortNameOf(name))
  return at <= 0 ? ['', name] : [name.slice(0, at), name.slice(at)]
}

/** The number of characters at the end of a long method that stay visible. */
const KEPT_END = 8

/**
 * The parts of a name in the order in which they may be shortened: the package, the class, the start of the method, its end.
 * They join to the name. Closures of Go belong to their function, and short methods have no end.
 */
export function nameParts(name: string): readonly [qualifier: string, owner: string, start: string, end: string] {
  const [qualifier, rest] = splitName(name)
  const bare = rest.replace(/(?:\.(?:func)?\d+)+$/, '')
  const at = Math.max(lastTop(bare, '.'), lastTop(bare, ':'), lastTop(bare, '/'), lastTop(bare, '#')) + 1
  const from = at < bare.length ? at : 0
  const method = rest.slice(from)
  const end = method.length > 2 * KEPT_END ? method.length - KEPT_END : method.length
  return [qualifier, rest.slice(0, from), method.slice(0, end), method.slice(end)]
}
