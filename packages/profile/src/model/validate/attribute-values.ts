// Checks attribute values wherever they occur: in the attribute table, on a resource or on a scope.
import type { AnyValue, KeyValue } from '../columns/any-value.ts'
import { isKeyValueList } from '../columns/any-value.ts'
import { parseBuildId } from '../attributes/build-id.ts'
import { ATTRIBUTES, ATTRIBUTE_PREFIXES } from '../attributes/semantic-conventions.ts'
import type { ProblemList } from './problems.ts'
import { quote } from './quote.ts'

type ConventionType = 'string' | 'bool' | 'int' | 'string[]' | 'int[]'

const TYPES: ReadonlyMap<string, ConventionType> = new Map<string, ConventionType>([
  [ATTRIBUTES.frameType, 'string'],
  [ATTRIBUTES.pprofLocationIsFolded, 'bool'],
  [ATTRIBUTES.pprofMappingHasFunctions, 'bool'],
  [ATTRIBUTES.pprofMappingHasFilenames, 'bool'],
  [ATTRIBUTES.pprofMappingHasLineNumbers, 'bool'],
  [ATTRIBUTES.pprofMappingHasInlineFrames, 'bool'],
  [ATTRIBUTES.buildIdGnu, 'string'],
  [ATTRIBUTES.buildIdGo, 'string'],
  [ATTRIBUTES.buildIdHtlhash, 'string'],
  [ATTRIBUTES.buildIdProfiling, 'string'],
  [ATTRIBUTES.pprofProfileComment, 'string[]'],
  [ATTRIBUTES.pprofProfileDocUrl, 'string'],
  [ATTRIBUTES.pprofProfileDropFrames, 'string'],
  [ATTRIBUTES.pprofProfileKeepFrames, 'string'],
  [ATTRIBUTES.pprofScopeDefaultSampleType, 'string'],
  [ATTRIBUTES.pprofScopeSampleTypeOrder, 'int[]'],
  [ATTRIBUTES.threadId, 'int'],
  [ATTRIBUTES.threadName, 'string'],
  [ATTRIBUTES.threadState, 'string'],
  [ATTRIBUTES.goroutineId, 'int'],
  [ATTRIBUTES.goroutineState, 'string'],
  [ATTRIBUTES.goProcId, 'int'],
  [ATTRIBUTES.cpuLogicalNumber, 'int'],
  [ATTRIBUTES.systemCpuLogicalNumber, 'int'],
  [ATTRIBUTES.processPid, 'int'],
  [ATTRIBUTES.processExecutableName, 'string'],
  [ATTRIBUTES.processExecutablePath, 'string'],
  [ATTRIBUTES.containerId, 'string'],
  [ATTRIBUTES.serviceName, 'string'],
])

/** Checks attributes of the semantic conventions: their type, and the form of build ids and documentation URLs. */
export function checkConvention(key: string, read: () => AnyValue, path: () => string, problems: ProblemList): void {
  const type = typeOf(key)
  if (type === undefined) return
  const value = read()
  if (!hasType(value, type)) {
    problems.add('attribute-type', () => [
      `${path()}.value`,
      `${quote(key)} must be ${type}, but is ${kindName(value)}`,
    ])
    return
  }
  if (typeof value !== 'string') return
  checkBuildId(key, value, path, problems)
  if (key === ATTRIBUTES.pprofProfileDocUrl && !ABSOLUTE_URL.test(value)) {
    problems.add('doc-url', () => [`${path()}.value`, `${quote(value)} is not an absolute URL`])
  }
}

const ABSOLUTE_URL = /^[a-z][a-z0-9+.-]*:\/\/[^\s/?#]/i
const HEX_BYTES = /^(?:[0-9a-f]{2})+$/i
const HTLHASH = /^[0-9a-f]{32}$/i

function checkBuildId(key: string, value: string, path: () => string, problems: ProblemList): void {
  const kind = parseBuildId(key)
  if (kind === undefined) return
  const isFit = kind === 'gnu' ? HEX_BYTES.test(value) : kind === 'go' ? value !== '' : HTLHASH.test(value)
  if (!isFit) {
    const form = kind === 'gnu' ? 'bytes in hex' : kind === 'go' ? 'a nonempty text' : '32 hex digits'
    problems.add('build-id-form', () => [`${path()}.value`, `the ${kind} build id ${quote(value)} is not ${form}`])
  }
  if (kind === 'profiling') {
    problems.add('build-id-deprecated', () => [
      path(),
      `${quote(key)} was renamed to ${quote(ATTRIBUTES.buildIdHtlhash)}`,
    ])
  }
}

function typeOf(key: string): ConventionType | undefined {
  const type = TYPES.get(key)
  if (type !== undefined) return type
  const { processEnvironmentVariable, pprofProfileComment } = ATTRIBUTE_PREFIXES
  return key.startsWith(processEnvironmentVariable) || key.startsWith(pprofProfileComment) ? 'string' : undefined
}

function hasType(value: AnyValue, type: ConventionType): boolean {
  switch (type) {
    case 'string':
      return typeof value === 'string'
    case 'bool':
      return typeof value === 'boolean'
    case 'int':
      return typeof value === 'bigint'
    case 'string[]':
      return Array.isArray(value) && value.every(item => typeof item === 'string')
    case 'int[]':
      return Array.isArray(value) && value.every(item => typeof item === 'bigint')
  }
}

function kindName(value: AnyValue): string {
  if (value === undefined) return 'empty'
  if (typeof value === 'string') return 'a string'
  if (typeof value === 'boolean') return 'a bool'
  if (typeof value === 'bigint') return 'an int'
  if (typeof value === 'number') return 'a double'
  if (value instanceof Uint8Array) return 'bytes'
  return isKeyValueList(value) ? 'a key-value list' : 'an array'
}

/** Checks the attributes of a resource or a scope. `path` is the path of the list. */
export function checkKeyValues(entries: readonly KeyValue[], path: string, problems: ProblemList): void {
  const placeOf = new Map<string, number>()
  for (const [i, { key, value }] of entries.entries()) {
    const first = placeOf.get(key)
    if (key === '') problems.add('attribute-key-empty', () => [`${path}[${i}].key`, 'the attribute has an empty key'])
    else if (first === undefined) placeOf.set(key, i)
    else
      problems.add('attribute-keys-unique', () => [
        `${path}[${i}]`,
        `the key ${quote(key)} is already used at [${first}]`,
      ])
    checkNestedKeys(value, `${path}[${i}].value`, problems)
    if (problems.strict)
      checkConvention(
        key,
        () => value,
        () => `${path}[${i}]`,
        problems,
      )
  }
}

/** Checks the keys of key-value lists inside a value, at any depth. */
export function checkNestedKeys(value: AnyValue, path: string, problems: ProblemList): void {
  if (typeof value !== 'object' || value instanceof Uint8Array) return
  if (!isKeyValueList(value)) {
    for (const [i, item] of value.entries()) checkNestedKeys(item, `${path}.array_value.values[${i}]`, problems)
    return
  }
  const placeOf = new Map<string, number>()
  for (const [i, entry] of value.entries.entries()) {
    const here = `${path}.kvlist_value.values[${i}]`
    const first = placeOf.get(entry.key)
    if (first === undefined) placeOf.set(entry.key, i)
    else problems.add('value-keys-unique', () => [here, `the key ${quote(entry.key)} is already used at [${first}]`])
    checkNestedKeys(entry.value, `${here}.value`, problems)
  }
}
