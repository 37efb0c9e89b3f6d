// The columns of tables with attributes.

/** Columns of a table with attributes. */
export interface AttributeColumnNames {
  readonly keys: string
  readonly kinds: string
  readonly values: string
}

export const CONTAINER_ATTRIBUTES: AttributeColumnNames = {
  keys: 'attribute_keys',
  kinds: 'attribute_kinds',
  values: 'attribute_values',
}
export const SET_ATTRIBUTES: AttributeColumnNames = { keys: 'keys', kinds: 'kinds', values: 'values' }
