// The parts of a demangled C++ name as a graph: a mangled name refers back to parts of itself, so parts are shared, and a
// short name can stand for a text that is exponentially longer. cpp-printer.ts bounds what is printed.

export type CppNode =
  /** Identifiers, builtin types and other literal text. */
  | { readonly kind: 'text'; readonly text: string }
  /** Parts printed one after the other. */
  | { readonly kind: 'concat'; readonly parts: readonly (string | CppNode)[] }
  /** Items separated by commas. Items that print nothing, such as empty packs, get no comma. */
  | { readonly kind: 'list'; readonly items: readonly CppNode[] }
  | { readonly kind: 'nested'; readonly scope: CppNode; readonly name: CppNode }
  | { readonly kind: 'template'; readonly name: CppNode; readonly args: readonly CppNode[] }
  /** The pack that a template parameter stands for. An expansion prints one item at a time. */
  | { readonly kind: 'pack'; readonly items: readonly CppNode[] }
  | { readonly kind: 'expansion'; readonly pattern: CppNode }
  | { readonly kind: 'packSize'; readonly of: CppNode }
  | { readonly kind: 'tagged'; readonly name: CppNode; readonly tag: string }
  | { readonly kind: 'structor'; readonly of: CppNode; readonly isDestructor: boolean }
  | { readonly kind: 'conversion'; readonly type: CppNode }
  | { readonly kind: 'lambda'; readonly params: readonly CppNode[]; readonly number: number }
  /** const, volatile, restrict. */
  | { readonly kind: 'qualified'; readonly type: CppNode; readonly qualifiers: string }
  | { readonly kind: 'indirect'; readonly to: CppNode; readonly mark: '*' | '&' | '&&' }
  | { readonly kind: 'memberPointer'; readonly of: CppNode; readonly type: CppNode }
  | {
      readonly kind: 'function'
      readonly returns: CppNode | undefined
      readonly params: readonly CppNode[]
      readonly suffix: readonly (string | CppNode)[]
    }
  | { readonly kind: 'array'; readonly of: CppNode; readonly size: CppNode }
  /** A function with its parameters, and the template arguments that `param` nodes in it stand for. */
  | {
      readonly kind: 'encoding'
      readonly name: CppNode
      readonly type: FunctionNode
      readonly args: readonly CppNode[] | undefined
    }
  /**
   * A template parameter. It stands for an argument of the function whose type is being printed, which is not always the
   * one in which it occurred first; `first` is its argument there. In lambdas, these are the `auto` parameters.
   */
  | {
      readonly kind: 'param'
      readonly index: number
      readonly isOfLambda: boolean
      readonly first: CppNode | undefined
    }

export type FunctionNode = CppNode & { readonly kind: 'function' }

export function textNode(text: string): CppNode {
  return { kind: 'text', text }
}

export function concatNode(...parts: readonly (string | CppNode)[]): CppNode {
  return { kind: 'concat', parts }
}
