// Row numbers that only their own table accepts. The compiler checks the brand; it costs nothing at run time.

declare const tag: unique symbol
type Index<Table extends string> = number & { readonly [tag]: Table }

export type StringIndex = Index<'string'>
export type FunctionIndex = Index<'function'>
export type MappingIndex = Index<'mapping'>
export type LocationIndex = Index<'location'>
export type StackIndex = Index<'stack'>
export type LinkIndex = Index<'link'>
export type AttributeIndex = Index<'attribute'>

/**
 * Marks "no row" in Hearth's own columns. In tables of the data format, row 0 is the zero value and means "not set".
 */
export const NONE = -1
