// The rules of single messages, by the name of the message.
import { bytesOf, messageIn, messagesOf, numberOf, numbersIn, textOf, wholeOf } from '../generations/message-fields.ts'
import type { Message } from '../generations/schema-reader.ts'
import { fitsTypes, isCurrent } from '../lenient/reference-rules.ts'
import type { RuleId } from '../../../model/validate/rules.ts'
import type { ProblemList } from '../../../model/validate/problems.ts'
import type { Generation } from '../generations/schema.ts'
import type { RawTables } from './raw-tables.ts'

/** The state of a walk that the rules need. */
export interface WalkState {
  readonly problems: ProblemList
  readonly generation: Generation
  /** The tables that apply to the current message. */
  readonly tables: RawTables
  /** The current profile, for the rules of its samples. */
  readonly profile: Message
  /** The path of the first profile with each id. */
  readonly ids: Map<string, string>
}

type MessageCheck = (check: WalkState, message: Message, path: string) => void

const ID_BYTES = 16
const SPAN_ID_BYTES = 8

export const MESSAGE_CHECKS: Readonly<Record<string, MessageCheck>> = {
  KeyValue: checkKeyValue,
  Resource: (check, message, path) => checkKeys(check, message, 'attributes', path, 'attribute-keys-unique'),
  InstrumentationScope: (check, message, path) =>
    checkKeys(check, message, 'attributes', path, 'attribute-keys-unique'),
  KeyValueList: (check, message, path) => checkKeys(check, message, 'values', path, 'value-keys-unique'),
  ProfileContainer: checkContainer,
  Profile: checkProfile,
  Sample: checkSample,
  Label: checkLabel,
  Mapping: checkMapping,
  Location: (check, message, path) => checkReferencedKeys(check, message, path),
  Function: checkFunction,
  Line: checkLine,
  Link: checkLink,
}

function checkKeyValue(check: WalkState, message: Message, path: string): void {
  const { problems, tables } = check
  if (textOf(message, 'key') !== '' && numberOf(message, 'key_strindex') !== 0) {
    problems.add('key-twice', () => [
      `${path}.key_strindex`,
      `key is ${JSON.stringify(textOf(message, 'key'))} as well`,
    ])
  }
  if (tables.keyOf(message) === '') problems.add('attribute-key-empty', () => [`${path}.key`, 'the key is empty'])
}

function checkKeys(check: WalkState, message: Message, field: string, path: string, rule: RuleId): void {
  const first = new Map<string, number>()
  let i = 0
  for (const attribute of messagesOf(message, field)) {
    const key = check.tables.keyOf(attribute)
    const at = i++
    const known = first.get(key)
    if (known === undefined) first.set(key, at)
    else {
      const what = `the key ${JSON.stringify(key)} is that of ${field}[${known}] too`
      check.problems.add(rule, () => [`${path}.${field}[${at}]`, what])
    }
  }
}

/** Checks the keys of attributes that a message refers to by index. v1.3 calls the field `attributes`. */
function checkReferencedKeys(check: WalkState, message: Message, path: string): void {
  const field = check.generation === 'v1.3' ? 'attributes' : 'attribute_indices'
  const indices = numbersIn(message, field)
  const first = new Map<string, number>()
  for (let i = 0; i < indices.length; i++) {
    const key = check.tables.attributeKey(Number(indices[i]))
    if (key === undefined) continue
    if (key === '') {
      check.problems.add('attribute-key-empty', () => [`${path}.${field}[${i}]`, 'the attribute has no key'])
      continue
    }
    const known = first.get(key)
    if (known === undefined) first.set(key, i)
    else {
      const what = `the key ${JSON.stringify(key)} is that of ${field}[${known}] too`
      check.problems.add('attribute-keys-unique', () => [`${path}.${field}[${i}]`, what])
    }
  }
}

function checkContainer(check: WalkState, message: Message, path: string): void {
  const { problems } = check
  checkKeys(check, message, 'attributes', path, 'attribute-keys-unique')
  if (messageIn(message, 'profile') === undefined)
    problems.add('profile-missing', () => [`${path}.profile`, 'the container has no profile'])
  if (bytesOf(message, 'profile_id').length === 0)
    problems.add('profile-id-missing', () => [`${path}.profile_id`, 'the id is missing'])
  checkId(check, message, path)
  checkPayload(check, message, path)
  const start = wholeOf(message, 'start_time_unix_nano')
  const end = wholeOf(message, 'end_time_unix_nano')
  if (start === 0n) problems.add('time-missing', () => [`${path}.start_time_unix_nano`, 'the start time is missing'])
  if (end === 0n) problems.add('time-missing', () => [`${path}.end_time_unix_nano`, 'the end time is missing'])
  else if (end < start)
    problems.add('time-order', () => [`${path}.end_time_unix_nano`, `${end} is before the start ${start}`])
}

function checkProfile(check: WalkState, message: Message, path: string): void {
  const { problems, generation } = check
  if (generation !== 'v1.3') {
    if (generation === 'v1.4') checkKeys(check, message, 'attributes', path, 'attribute-keys-unique')
    else checkReferencedKeys(check, message, path)
    checkId(check, message, path)
    checkPayload(check, message, path)
  }
  if (wholeOf(message, 'duration_nanos') < 0n)
    problems.add('time-order', () => [`${path}.duration_nanos`, 'the duration is negative'])
  checkTemporality(check, message, path)
}

/** v1.9 removed the temporality. Until v1.7 a profile has several types. */
function checkTemporality(check: WalkState, message: Message, path: string): void {
  const { generation, problems } = check
  if (generation === 'v1.9' || generation === 'v1.11') return
  const isList = generation !== 'v1.8'
  const types = isList ? messagesOf(message, 'sample_type') : [messageIn(message, 'sample_type') ?? {}]
  let i = 0
  for (const type of types) {
    const at = isList ? `sample_type[${i++}]` : 'sample_type'
    if (numberOf(type, 'aggregation_temporality') === 0)
      problems.add('temporality-unspecified', () => [`${path}.${at}.aggregation_temporality`, 'it is unspecified'])
  }
}

function checkId(check: WalkState, message: Message, path: string): void {
  const { problems, ids } = check
  const id = bytesOf(message, 'profile_id')
  if (id.length === 0) return
  const at = `${path}.profile_id`
  if (id.length !== ID_BYTES) {
    problems.add('profile-id-length', () => [at, `the id has ${id.length} bytes, but needs 16`])
    return
  }
  if (id.every(byte => byte === 0)) {
    problems.add('profile-id-zero', () => [at, 'the id is all zero'])
    return
  }
  // Since v1.8 the profiles of a recording have one type each, and may share its id. The model checks these.
  if (isCurrent(check.generation)) return
  const key = id.join(' ')
  const known = ids.get(key)
  if (known === undefined) ids.set(key, path)
  else problems.add('profile-id-unique', () => [at, `it equals that of ${known}`])
}

function checkPayload({ problems }: WalkState, message: Message, path: string): void {
  const hasPayload = bytesOf(message, 'original_payload').length > 0
  const hasFormat = textOf(message, 'original_payload_format') !== ''
  if (hasPayload === hasFormat) return
  const [field, other] = hasPayload
    ? ['original_payload', 'original_payload_format']
    : ['original_payload_format', 'original_payload']
  problems.add('original-payload-pair', () => [`${path}.${field}`, `${other} is missing`])
}

function checkSample(check: WalkState, message: Message, path: string): void {
  checkReferencedKeys(check, message, path)
  if (isCurrent(check.generation)) checkShape(check, message, path)
  else checkFormerSample(check, message, path)
}

function checkShape({ problems }: WalkState, message: Message, path: string): void {
  const values = numbersIn(message, 'values').length
  const times = numbersIn(message, 'timestamps_unix_nano').length
  if (values === 0 && times === 0) problems.add('sample-empty', () => [path, 'it has neither values nor timestamps'])
  else if (times === 0 && values > 1)
    problems.add('sample-one-value', () => [path, `${values} values and no timestamps`])
  else if (values > 0 && times > 0 && values !== times)
    problems.add('sample-lengths', () => [path, `${values} values and ${times} timestamps`])
}

function checkFormerSample(check: WalkState, message: Message, path: string): void {
  const { problems, profile, tables } = check
  const start = numberOf(message, 'locations_start_index')
  const length = numberOf(message, 'locations_length')
  const count = tables.locationIndices(profile)
  if (length !== 0 && !(start >= 0 && length > 0 && start + length <= count)) {
    const what = `locations ${start} to ${start + length} are outside location_indices (length ${count})`
    problems.add('location-range', () => [`${path}.locations_start_index`, what])
  }
  const types = messagesOf(profile, 'sample_type').length
  const values = numbersIn(message, 'value').length
  const times = numbersIn(message, 'timestamps_unix_nano').length
  if (!fitsTypes(values, times, types)) {
    const what = `it has ${values} values and ${times} timestamps, but the profile has ${types} sample types`
    problems.add('sample-values', () => [path, what])
  }
  checkLabelKeys(check, message, path)
}

function checkLabelKeys({ problems, tables }: WalkState, message: Message, path: string): void {
  const first = new Map<string, number>()
  let i = 0
  for (const label of messagesOf(message, 'label')) {
    const key = tables.text(numberOf(label, 'key'))
    const at = i++
    const known = first.get(key)
    if (known === undefined) first.set(key, at)
    else {
      const what = `the key ${JSON.stringify(key)} is that of label[${known}] too`
      problems.add('label-keys-unique', () => [`${path}.label[${at}]`, what])
    }
  }
}

function checkLabel({ problems }: WalkState, message: Message, path: string): void {
  if (numberOf(message, 'str') !== 0 && numberOf(message, 'num') !== 0)
    problems.add('label-value', () => [path, 'it has both str and num'])
}

function checkMapping(check: WalkState, message: Message, path: string): void {
  checkReferencedKeys(check, message, path)
  if (!isCurrent(check.generation)) return
  const start = wholeOf(message, 'memory_start')
  const limit = wholeOf(message, 'memory_limit')
  if (start < limit || (start === 0n && limit === 0n)) return
  check.problems.add('mapping-range', () => [path, `memory_start ${start} is not below memory_limit ${limit}`])
}

function checkFunction({ problems, generation }: WalkState, message: Message, path: string): void {
  if (!isCurrent(generation)) return
  const names = ['name_strindex', 'system_name_strindex', 'filename_strindex']
  const isNamed = names.some(name => numberOf(message, name) !== 0)
  if (!isNamed && wholeOf(message, 'start_line') !== 0n)
    problems.add('function-name', () => [path, 'the function has neither a name nor a file'])
  if (wholeOf(message, 'start_line') < 0n)
    problems.add('position-negative', () => [`${path}.start_line`, 'the line is negative'])
}

function checkLine({ problems, generation }: WalkState, message: Message, path: string): void {
  if (!isCurrent(generation)) return
  for (const field of ['line', 'column']) {
    const value = wholeOf(message, field)
    if (value < 0n) problems.add('position-negative', () => [`${path}.${field}`, `${value} is negative`])
  }
}

/** An empty link is row 0 since v1.8. Before, writers used it for samples without a link. */
function checkLink({ problems }: WalkState, message: Message, path: string): void {
  const trace = bytesOf(message, 'trace_id')
  const span = bytesOf(message, 'span_id')
  const isUnset = [...trace, ...span].every(byte => byte === 0)
  if (isUnset && [0, ID_BYTES].includes(trace.length) && [0, SPAN_ID_BYTES].includes(span.length)) return
  if (trace.length !== ID_BYTES)
    problems.add('trace-id-length', () => [`${path}.trace_id`, `the id has ${trace.length} bytes, but needs 16`])
  if (span.length !== SPAN_ID_BYTES)
    problems.add('span-id-length', () => [`${path}.span_id`, `the id has ${span.length} bytes, but needs 8`])
}
