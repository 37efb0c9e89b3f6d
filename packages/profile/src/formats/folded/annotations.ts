// The suffixes with which collapsing tools mark frames, and their representation in the model:
//
//   _[k]   kernel     profile.frame.type = kernel on the location
//   _[j]   jit        profile.frame.type = jit, because the text does not name the runtime
//   _[i]   inlined    a line of its caller's location; without a caller, folded.frame.inlined on its own location
//   _[w]   waker      folded.frame.waker on the location: the stack of the thread that woke the sampled one
//
// A profile that was read with such marks has the attribute folded.annotations, and is written with them again.

export const FOLDED_ATTRIBUTES = {
  /** Profile, bool. */
  annotations: 'folded.annotations',
  /** Location, bool. */
  inlined: 'folded.frame.inlined',
  /** Location, bool. */
  waker: 'folded.frame.waker',
} as const

export const KERNEL = 'kernel'
export const JIT = 'jit'

export type Annotation = 'kernel' | 'jit' | 'inlined' | 'waker'

export const SUFFIX_LENGTH = 4

const LETTERS: Readonly<Record<Annotation, string>> = { kernel: 'k', jit: 'j', inlined: 'i', waker: 'w' }
/** The index in this list represents an annotation in columns. */
export const ANNOTATIONS = Object.keys(LETTERS) as Annotation[]

export function suffixOf(annotation: Annotation): string {
  return `_[${LETTERS[annotation]}]`
}

/** The mark at the end of a frame's text. A text that consists of a mark is a name. */
export function annotationOf(bytes: Uint8Array, from: number, to: number): Annotation | undefined {
  if (to - from <= SUFFIX_LENGTH || bytes[to - 1] !== 0x5d || bytes[to - 3] !== 0x5b || bytes[to - 4] !== 0x5f) {
    return undefined
  }
  return ANNOTATIONS.find(annotation => LETTERS[annotation].charCodeAt(0) === bytes[to - 2])
}
