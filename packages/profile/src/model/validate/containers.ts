// Checks resources and scopes: attributes, schema URLs, entity references, and that they are not empty.
import type { EntityRef, Resource, Scope } from '../columns/any-value.ts'
import type { Profiles, ResourceTable, ScopeTable } from '../columns/profiles.ts'
import { ProtoReader } from '../../wire/protobuf/proto-reader.ts'
import { WireError } from '../../wire/wire-error.ts'
import { checkKeyValues } from './attribute-values.ts'
import { resourcePath, scopePath } from './paths.ts'
import { hasPlainAttributes } from './plain-attributes.ts'
import type { ProblemList } from './problems.ts'
import { quote } from './quote.ts'

export function checkContainers(profiles: Profiles, problems: ProblemList): void {
  const { resources, scopes } = profiles
  const reader = new ProtoReader(resources.bytes)
  if (resources.length === 0) problems.add('container-empty', () => ['', 'there are no resource_profiles'])
  for (let i = 0; i < resources.length; i++) {
    if (!problems.strict && isPlain(reader, resources, i, RESOURCE_ATTRIBUTES)) continue
    const path = resourcePath(profiles, i)
    if (resources.from(i) === resources.to(i))
      problems.add('container-empty', () => [path, 'there are no scope_profiles'])
    const resource = unlessMalformed(() => resources.resource(i), `${path}.resource`, problems)
    if (resource !== undefined) checkResource(resource, `${path}.resource`, problems)
    if (problems.strict) checkSchemaUrl(resources.schemaUrl(i), path, problems)
  }
  for (let i = 0; i < scopes.length; i++) {
    if (!problems.strict && isPlain(reader, scopes, i, SCOPE_ATTRIBUTES)) continue
    const path = scopePath(profiles, i)
    if (scopes.from(i) === scopes.to(i)) problems.add('container-empty', () => [path, 'there are no profiles'])
    const scope = unlessMalformed(() => scopes.scope(i), `${path}.scope`, problems)
    if (scope !== undefined) checkKeyValues(scope.attributes, `${path}.scope.attributes`, problems)
    if (problems.strict) checkSchemaUrl(scopes.schemaUrl(i), path, problems)
  }
}

/** The fields of attributes in Resource and InstrumentationScope. */
const RESOURCE_ATTRIBUTES = 1
const SCOPE_ATTRIBUTES = 3

function isPlain(reader: ProtoReader, table: ResourceTable | ScopeTable, i: number, field: number): boolean {
  reader.pos = table.messageOffset(i)
  reader.end = reader.pos + table.messageLength(i)
  return hasPlainAttributes(reader, reader.end, field)
}

function unlessMalformed<T extends Resource | Scope>(
  read: () => T,
  path: string,
  problems: ProblemList,
): T | undefined {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof WireError)) throw error
    problems.add('value-malformed', () => [path, `cannot decode it: ${error.message}`])
    return undefined
  }
}

function checkResource(resource: Resource, path: string, problems: ProblemList): void {
  checkKeyValues(resource.attributes, `${path}.attributes`, problems)
  if (!problems.strict) return
  const keys = new Set(resource.attributes.map(({ key }) => key))
  for (const [i, entity] of resource.entityRefs.entries())
    checkEntity(entity, keys, `${path}.entity_refs[${i}]`, problems)
}

function checkEntity(entity: EntityRef, keys: ReadonlySet<string>, path: string, problems: ProblemList): void {
  if (entity.type === '') problems.add('entity-type', () => [`${path}.type`, 'the entity type is missing'])
  if (entity.idKeys.length === 0)
    problems.add('entity-id', () => [`${path}.id_keys`, 'the entity has no identifying key'])
  for (const [field, list] of [
    ['id_keys', entity.idKeys],
    ['description_keys', entity.descriptionKeys],
  ] as const) {
    for (const [i, key] of list.entries()) {
      if (keys.has(key)) continue
      problems.add('entity-keys', () => [`${path}.${field}[${i}]`, `${quote(key)} is not a key of the resource`])
    }
  }
  checkSchemaUrl(entity.schemaUrl, path, problems)
}

const SERVER = /^https?:\/\/[^\s/?#]+\//i
const VERSION = /^\d+\.\d+\.\d+(?:[-+][\w.+-]+)?$/

function checkSchemaUrl(url: string, path: string, problems: ProblemList): void {
  if (url === '') return
  if (SERVER.test(url) && VERSION.test(url.slice(url.lastIndexOf('/') + 1))) return
  problems.add('schema-url', () => [
    `${path}.schema_url`,
    `${quote(url)} does not have the form http[s]://server/path/1.2.3`,
  ])
}
