// The resources of the profiles as texts for the page.
import { hexOf } from '../../model/text/hex.ts'
import type { AnyValue } from '../../model/columns/any-value.ts'
import { isKeyValueList } from '../../model/columns/any-value.ts'
import type { Profiles } from '../../model/columns/profiles.ts'
import { ATTRIBUTES } from '../../model/attributes/semantic-conventions.ts'

export interface PageResource {
  readonly name: string
  readonly attributes: readonly (readonly [key: string, value: string])[]
}

/** The payload of a whole cluster has thousands of resources, which nobody reads in a page. */
const MAX_RESOURCES = 50

/** Returns the resources that have attributes, without duplicates. */
export function pageResources(profiles: Profiles): readonly PageResource[] {
  const found = new Map<string, PageResource>()
  for (let i = 0; i < profiles.resources.length && found.size < MAX_RESOURCES; i++) {
    const attributes = profiles.resources
      .resource(i)
      .attributes.map(({ key, value }) => [key, valueText(value)] as const)
    if (attributes.length === 0) continue
    const named = new Map(attributes)
    const name = named.get(ATTRIBUTES.serviceName) ?? named.get(ATTRIBUTES.processExecutableName) ?? ''
    found.set(JSON.stringify(attributes), { name, attributes })
  }
  return [...found.values()]
}

function valueText(value: AnyValue): string {
  if (value === undefined) return ''
  if (typeof value !== 'object') return String(value)
  if (value instanceof Uint8Array) return hexOf(value)
  if (isKeyValueList(value)) return value.entries.map(entry => `${entry.key}=${valueText(entry.value)}`).join(', ')
  return value.map(valueText).join(', ')
}
