// Row numbers that only their own table accepts. The brand is checked by the compiler and costs nothing at run time.

declare const tag: unique symbol
export type Index<Table extends string> = number & { readonly [tag]: Table }

export type StringIndex = Index<'string'>
export type FunctionIndex = Index<'function'>
export type MappingIndex = Index<'mapping'>
export type LocationIndex = Index<'location'>
export type StackIndex = Index<'stack'>
export type LinkIndex = Index<'link'>
export type AttributeIndex = Index<'attribute'>

/** Marks "no row" in columns of our own. In the tables of the data format row 0 is the zero value and says "not set". */
export const NONE = -1
