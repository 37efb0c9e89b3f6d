// The columns of tables with attributes.
import { SERVICE_KEYS } from '../../store/containers.ts'
import type { Matcher } from '../selector/selector.ts'

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
/** The attributes of resources, in which the name of the executable stands in for a missing service.name. */
const [SERVICE, STAND_IN] = SERVICE_KEYS
const SERVICE_ATTRIBUTES: AttributeColumnNames = {
  ...CONTAINER_ATTRIBUTES,
  keys:
    `if(has(attribute_keys, '${SERVICE}'), attribute_keys, ` +
    `arrayMap(name -> if(name = '${STAND_IN}', '${SERVICE}', name), attribute_keys))`,
}

/** The columns of resources for conditions on a key. */
export function resourceAttributes({ key, otherKeys = [] }: Pick<Matcher, 'key' | 'otherKeys'>): AttributeColumnNames {
  return key === SERVICE || otherKeys.includes(SERVICE) ? SERVICE_ATTRIBUTES : CONTAINER_ATTRIBUTES
}

export const SET_ATTRIBUTES: AttributeColumnNames = { keys: 'keys', kinds: 'kinds', values: 'values' }
