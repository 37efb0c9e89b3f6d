// The rules of single messages of OTLP, by the name of the message. Drafts share some of them.
import {
  bytesOf,
  messageIn,
  messagesOf,
  numberOf,
  numbersIn,
  textOf,
  wholeOf,
} from '../otlp/generations/message-fields.ts'
import type { Message } from '../otlp/generations/schema-reader.ts'
import { fitsTypes, isCurrent } from '../otlp/lenient/reference-rules.ts'
import type { RuleId } from '../../model/validate/rules.ts'
import type { MessageCheck, WalkState } from './dialect.ts'
import { checkTimestamps, containerRange } from './timestamp-checks.ts'

const ID_BYTES = 16
const SPAN_ID_BYTES = 8

export const OTLP_CHECKS: Readonly<Record<string, MessageCheck>> = {
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
  Location: checkLocation,
  Function: checkFunction,
  Line: checkLine,
  Link: checkLink,
}

export function checkKeyValue(check: WalkState, message: Message, path: string): void {
  const { problems, tables } = check
  if (textOf(message, 'key') !== '' && numberOf(message, 'key_strindex') !== 0) {
    problems.add('key-twice', () => [
      `${path}.key_strindex`,
      `key is ${JSON.stringify(textOf(message, 'key'))} as well`,
    ])
  }
  if (tables.keyOf(message) === '') problems.add('attribute-key-empty', () => [`${path}.key`, 'the key is empty'])
}

export function checkKeys(check: WalkState, message: Message, field: string, path: string, rule: RuleId): void {
  const first = new Map<string, number>()
  let i = 0
  for (const attribute of messagesOf(message, field)) {
    const key = check.tables.keyOf(attribute)
    const at = i++
    const known = first.get(key)
    if (known === undefined) first.set(key, at)
    else {
      const what = `the key ${JSON.stringify(key)} is that of ${field}[${known}] too`
      check.problems.add(rule, () => [within(path, `${field}[${at}]`), what])
    }
  }
}

/** The name of the field that refers to attributes. v1.3 calls it `attributes`. */
function attributesField({ generation }: WalkState): string {
  return generation === 'v1.3' ? 'attributes' : 'attribute_indices'
}

/** Checks the keys of attributes that a message refers to by index. */
export function checkReferencedKeys(
  check: WalkState,
  message: Message,
  path: string,
  field = attributesField(check),
): void {
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
  checkRequiredId(check, message, path)
  checkPayload(check, message, path)
  checkTimes(check, message, path)
  const profile = messageIn(message, 'profile') ?? {}
  checkTimestamps(check, profile, { ...containerRange(message, profile), path: `${path}.profile`, at: path })
}

export function checkTimes({ problems }: WalkState, message: Message, path: string): void {
  const start = wholeOf(message, 'start_time_unix_nano')
  const end = wholeOf(message, 'end_time_unix_nano')
  // A clock that starts with the recording has a first timestamp of 0. Then 0 is the start, and it is not missing.
  if (start === 0n && !(end > 0n && startsAtZero(message)))
    problems.add('time-missing', () => [within(path, 'start_time_unix_nano'), 'the start time is missing'])
  if (end === 0n) problems.add('time-missing', () => [within(path, 'end_time_unix_nano'), 'the end time is missing'])
  else if (end < start)
    problems.add('time-order', () => [within(path, 'end_time_unix_nano'), `${end} is before the start ${start}`])
}

/** Whether a sample has the timestamp 0. */
function startsAtZero(message: Message): boolean {
  const profile = messageIn(message, 'profile') ?? messageIn(message, 'arrays') ?? message
  const lists = ['sample', 'profile_types', 'sample_lists'].map(field => messagesOf(profile, field))
  for (const list of lists) {
    for (const row of list) {
      for (const field of ['timestamps_unix_nano', 'timestamps']) {
        const times = numbersIn(row, field)
        for (let i = 0; i < times.length; i++) if (Number(times[i]) === 0) return true
      }
    }
  }
  return false
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
  if (generation === 'v1.3' || isCurrentWalk(check)) return
  const start = wholeOf(message, 'time_nanos')
  const end = start + wholeOf(message, 'duration_nanos')
  checkTimestamps(check, message, { start, end, nanos: 1n, endField: 'duration_nanos', path, at: path })
}

/** v1.9 removed the temporality. Until v1.7 a profile has several types. */
function checkTemporality(check: WalkState, message: Message, path: string): void {
  const { generation, problems } = check
  if (generation === 'v1.9' || generation === 'v1.11' || generation === 'next') return
  const isList = generation !== 'v1.8'
  const types = isList ? messagesOf(message, 'sample_type') : [messageIn(message, 'sample_type') ?? {}]
  let i = 0
  for (const type of types) {
    const at = isList ? `sample_type[${i++}]` : 'sample_type'
    if (numberOf(type, 'aggregation_temporality') === 0)
      problems.add('temporality-unspecified', () => [`${path}.${at}.aggregation_temporality`, 'it is unspecified'])
  }
}

export function checkRequiredId(check: WalkState, message: Message, path: string): void {
  if (bytesOf(message, 'profile_id').length === 0)
    check.problems.add('profile-id-missing', () => [within(path, 'profile_id'), 'the id is missing'])
  checkId(check, message, path)
}

function checkId(check: WalkState, message: Message, path: string): void {
  const { problems, ids } = check
  const id = bytesOf(message, 'profile_id')
  if (id.length === 0) return
  const at = within(path, 'profile_id')
  if (id.length !== ID_BYTES) {
    problems.add('profile-id-length', () => [at, `the id has ${id.length} bytes, but needs 16`])
    return
  }
  if (id.every(byte => byte === 0)) {
    problems.add('profile-id-zero', () => [at, 'the id is all zero'])
    return
  }
  // Since v1.8 the profiles of a recording have one type each, and may share its id. The model checks these.
  if (isCurrentWalk(check)) return
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
  if (isCurrentWalk(check)) checkShape(check, message, path)
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
  const { problems, profile } = check
  const start = numberOf(message, 'locations_start_index')
  const length = numberOf(message, 'locations_length')
  const count = numbersIn(profile, 'location_indices').length
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
  if (check.generation === 'v1.3' && numberOf(message, 'link') === 0 && hasFirstLink(profile))
    problems.add('ambiguous-link', () => [`${path}.link`, 'it is 0, which means "none" or the first link'])
}

function hasFirstLink(profile: Message): boolean {
  for (const link of messagesOf(profile, 'link_table'))
    return ['trace_id', 'span_id'].some(id => bytesOf(link, id).some(byte => byte !== 0))
  return false
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
  if (!isCurrentWalk(check)) return
  const start = wholeOf(message, 'memory_start')
  const limit = wholeOf(message, 'memory_limit')
  if (start < limit || (start === 0n && limit === 0n)) return
  check.problems.add('mapping-range', () => [path, `memory_start ${start} is not below memory_limit ${limit}`])
}

function checkLocation(check: WalkState, message: Message, path: string): void {
  checkReferencedKeys(check, message, path)
  // The model checks it for later generations.
  if (!isCurrentWalk(check)) checkAddress(check, message, path)
}

/** An unset mapping index may mean the first mapping or none. */
export function checkAddress({ problems, tables }: WalkState, message: Message, path: string): void {
  const address = wholeOf(message, 'address')
  if (!problems.strict || address === 0n || message['mapping_index'] === undefined) return
  const mapping = tables.row('mappings', numberOf(message, 'mapping_index')) ?? {}
  const start = wholeOf(mapping, 'memory_start')
  const limit = wholeOf(mapping, 'memory_limit')
  if ((start === 0n && limit === 0n) || (address >= start && address <= limit)) return
  problems.add('location-address', () => [
    `${path}.address`,
    `${address} is not in [${start}, ${limit}] of its mapping`,
  ])
}

function checkFunction(check: WalkState, message: Message, path: string): void {
  if (!isCurrentWalk(check)) return
  const { problems } = check
  const names = ['name_strindex', 'system_name_strindex', 'filename_strindex']
  const isNamed = names.some(name => numberOf(message, name) !== 0)
  if (!isNamed && wholeOf(message, 'start_line') !== 0n)
    problems.add('function-name', () => [path, 'the function has neither a name nor a file'])
  if (wholeOf(message, 'start_line') < 0n)
    problems.add('position-negative', () => [`${path}.start_line`, 'the line is negative'])
}

function checkLine(check: WalkState, message: Message, path: string): void {
  if (!isCurrentWalk(check)) return
  const { problems } = check
  for (const field of ['line', 'column']) {
    const value = wholeOf(message, field)
    if (value < 0n) problems.add('position-negative', () => [`${path}.${field}`, `${value} is negative`])
  }
}

/** An empty link is row 0 since v1.8. Before, writers used it for samples without a link. */
export function checkLink({ problems }: WalkState, message: Message, path: string): void {
  const trace = bytesOf(message, 'trace_id')
  const span = bytesOf(message, 'span_id')
  const isUnset = [...trace, ...span].every(byte => byte === 0)
  if (isUnset && [0, ID_BYTES].includes(trace.length) && [0, SPAN_ID_BYTES].includes(span.length)) return
  if (trace.length !== ID_BYTES)
    problems.add('trace-id-length', () => [`${path}.trace_id`, `the id has ${trace.length} bytes, but needs 16`])
  if (span.length !== SPAN_ID_BYTES)
    problems.add('span-id-length', () => [`${path}.span_id`, `the id has ${span.length} bytes, but needs 8`])
}

/** Rows mean the same in the model only since v1.8. */
function isCurrentWalk({ generation }: WalkState): boolean {
  return generation !== undefined && isCurrent(generation)
}

/** The path of a field. The path of the root is empty. */
function within(path: string, field: string): string {
  return path === '' ? field : `${path}.${field}`
}
