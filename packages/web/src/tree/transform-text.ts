// Transforms as short text for the URL.
//
//   f*.main*_R*_s*.main*.run      focus-function main, collapse-all-recursion, focus-subtree main / run
//
// A transform is a letter and its fields, each after `*.`. Transforms are separated by `*_`, and a star is written as
// `*-`. URLs encode none of these characters, and the star is rare in names.
import type { Transform } from '@hearth/profile'
import { FRAME_ORIGINS } from '@hearth/profile'

/** More than anyone applies by hand. Each transform is a pass over the tree. */
export const MAX_TRANSFORMS = 64
/** Browsers and proxies truncate longer URLs. */
const MAX_TEXT_LENGTH = 8192

const LETTERS = {
  'focus-function': 'f',
  'merge-function': 'm',
  'drop-function': 'd',
  'collapse-function': 'c',
  'collapse-recursion': 'r',
  'collapse-direct-recursion': 'q',
  'focus-subtree': 's',
  'merge-node': 'n',
  'drop-subtree': 'x',
  'collapse-library': 'L',
  'merge-library': 'M',
  'drop-library': 'D',
  'collapse-all-recursion': 'R',
  'collapse-all-direct-recursion': 'Q',
  'merge-origin': 'O',
} as const satisfies Record<Transform['kind'], string>

export function formatTransforms(transforms: readonly Transform[]): string {
  return transforms.map(formatTransform).join('*_')
}

function formatTransform(transform: Transform): string {
  return [LETTERS[transform.kind], ...fieldsOf(transform).map(escaped)].join('*.')
}

function fieldsOf(transform: Transform): readonly string[] {
  if ('function' in transform) {
    const { name, file } = transform.function
    return file === undefined ? [name] : [name, file]
  }
  if ('path' in transform) return transform.path
  if ('origin' in transform) return [transform.origin]
  return 'mapping' in transform ? [transform.mapping] : []
}

function escaped(field: string): string {
  return field.replaceAll('*', '*-')
}

export interface ParsedTransforms {
  readonly transforms: readonly Transform[]
  /** Parts that are not transforms, or exceed the limit. */
  readonly ignored: readonly string[]
}

export function parseTransforms(text: string): ParsedTransforms {
  if (text === '') return { transforms: [], ignored: [] }
  if (text.length > MAX_TEXT_LENGTH) return { transforms: [], ignored: [text] }
  const transforms: Transform[] = []
  const ignored: string[] = []
  for (const part of text.split('*_')) {
    const transform = transforms.length < MAX_TRANSFORMS ? parseTransform(part) : undefined
    if (transform === undefined) ignored.push(part)
    else transforms.push(transform)
  }
  return { transforms, ignored }
}

function parseTransform(text: string): Transform | undefined {
  const [letter, ...rest] = text.split('*.')
  const fields: string[] = []
  for (const field of rest) {
    // A star that starts neither a separator nor an escape is not valid.
    if (/\*(?!-)/.test(field)) return undefined
    fields.push(field.replaceAll('*-', '*'))
  }
  switch (letter) {
    case 'f':
      return ofFunction('focus-function', fields)
    case 'm':
      return ofFunction('merge-function', fields)
    case 'd':
      return ofFunction('drop-function', fields)
    case 'c':
      return ofFunction('collapse-function', fields)
    case 'r':
      return ofFunction('collapse-recursion', fields)
    case 'q':
      return ofFunction('collapse-direct-recursion', fields)
    case 's':
      return ofNode('focus-subtree', fields)
    case 'n':
      return ofNode('merge-node', fields)
    case 'x':
      return ofNode('drop-subtree', fields)
    case 'L':
      return ofLibrary('collapse-library', fields)
    case 'M':
      return ofLibrary('merge-library', fields)
    case 'D':
      return ofLibrary('drop-library', fields)
    case 'O':
      return ofOrigin(fields)
    case 'R':
      return fields.length === 0 ? { kind: 'collapse-all-recursion' } : undefined
    case 'Q':
      return fields.length === 0 ? { kind: 'collapse-all-direct-recursion' } : undefined
    default:
      return undefined
  }
}

type FunctionKind = Extract<Transform, { readonly function: object }>['kind']
type NodeKind = Extract<Transform, { readonly path: object }>['kind']
type LibraryKind = Extract<Transform, { readonly mapping: string }>['kind']

function ofFunction(kind: FunctionKind, fields: readonly string[]): Transform | undefined {
  const [name, file] = fields
  if (fields.length === 1) return { kind, function: { name } }
  return fields.length === 2 ? { kind, function: { name, file } } : undefined
}

function ofNode(kind: NodeKind, path: readonly string[]): Transform | undefined {
  return path.length === 0 ? undefined : { kind, path }
}

function ofLibrary(kind: LibraryKind, fields: readonly string[]): Transform | undefined {
  return fields.length === 1 ? { kind, mapping: fields[0] } : undefined
}

function ofOrigin(fields: readonly string[]): Transform | undefined {
  const origin = FRAME_ORIGINS.find(each => each === fields[0])
  return fields.length === 1 && origin !== undefined ? { kind: 'merge-origin', origin } : undefined
}
