// Every rule that `validate` checks, as data. `hearth validate --rules` and the documentation print them. The level is
// that of the source, MUST or SHOULD, except for a few rules with a comment.
//
// The model keeps RULES checkable. FILE_RULES are about fields that readers resolve or convert, so only the validation of a
// file checks them (formats/validation).

/** A remark at level `info` is not a problem: a converter cannot add what its input lacks. */
export type Level = 'must' | 'should' | 'info'

export type RuleSource =
  /** The profiles data format and the pages of the OpenTelemetry specification that it references. */
  | 'data format'
  /** The comments of profiles.proto, common.proto and resource.proto. */
  | 'profiles.proto'
  | 'common.proto'
  /** OpenTelemetry's semantic conventions. */
  | 'semantic conventions'
  /** The conformance checker of OpenTelemetry's profiling group, written by the authors of the format. */
  | 'profcheck'
  /** The encoding itself. */
  | 'protobuf'
  /** OTEP 0239, and the released v1.3 to v1.7 that follow it. */
  | 'OTEP 0239'
  /** The arrays draft of 2023. */
  | 'arrays draft'
  /** The proposal of timestamped events and the comments of its proto. */
  | 'timestamped events'
  /** Hearth's own rules, which hint at mistakes. Never a MUST. */
  | 'hearth'

export interface Rule {
  /** Stable: scripts rely on it. */
  readonly id: string
  readonly level: Level
  /** The statement that is true if the rule holds. */
  readonly title: string
  readonly source: RuleSource
}

export const RULES = [
  // The complete dictionary.
  must('reference-range', 'every index points to an existing row', 'data format'),
  must('zero-row-present', 'every dictionary table has a row 0', 'data format'),
  must('zero-row-value', 'row 0 of every dictionary table is the zero value', 'data format'),
  should('dictionary-duplicate', 'no two rows of a dictionary table are equal', 'data format'),
  should('dictionary-orphan', 'every dictionary row is reachable from a sample or a profile', 'data format'),
  must('string-utf8', 'every string is valid UTF-8', 'protobuf'),
  must('value-malformed', 'every resource, scope and attribute value can be decoded', 'protobuf'),

  // Attributes of all messages.
  must('attribute-key-empty', 'no attribute has an empty key', 'data format'),
  must('attribute-keys-unique', 'no two attributes of one message have the same key', 'data format'),
  must('value-keys-unique', 'no key-value list inside an attribute value has duplicate keys', 'common.proto'),
  should(
    'attribute-type',
    'attributes of the semantic conventions have the type defined there',
    'semantic conventions',
  ),
  should('attribute-unit-ucum', 'the unit of an attribute is spelled as in UCUM', 'data format'),
  should('attribute-unit-number', 'only an attribute whose value is a number has a unit', 'hearth'),

  // Functions, mappings, locations, stacks, links.
  must('function-name', 'a function has a name, a system name or a file name', 'data format'),
  // The data format defines 0 as unset and does not mention negative numbers.
  must('position-negative', 'lines and columns are not negative', 'profcheck'),
  must('mapping-range', 'memory_start is below memory_limit, or both are zero', 'profcheck'),
  // The specification's page about mappings says "MUST have at least one". Recordings of other formats, of JIT code and of
  // anonymous memory have none, and a converter cannot compute one without the file.
  info('mapping-build-id', 'a mapping has one of the build id attributes', 'data format'),
  should('build-id-form', 'gnu build ids are hex, htlhash is 32 hex digits, none is empty', 'semantic conventions'),
  should('build-id-deprecated', 'the build id attribute `profiling` was renamed to htlhash', 'semantic conventions'),
  should('location-address', 'the address of a location is in the range of its mapping', 'data format'),
  should('location-empty', 'a location has an address, lines or attributes', 'hearth'),
  // pprof files have lines without a function. They are kept, so that they can be written again.
  info('line-function', 'a line has a function', 'hearth'),
  should('stack-location', 'no frame of a stack is location 0, "not set"', 'hearth'),
  must('trace-id-length', 'the trace id of a link has 16 bytes', 'data format'),
  must('span-id-length', 'the span id of a link has 8 bytes', 'data format'),
  must('link-incomplete', 'a link has a nonzero trace id and a nonzero span id', 'data format'),

  // Profiles.
  should('sample-type', 'a profile has the type and the unit of its values', 'data format'),
  // py-spy, rbspy and .NET write pprof files that have a period or its unit without a type.
  info('period-type', 'a period has a type and a unit', 'data format'),
  must('profile-id-length', 'a profile id is empty or has 16 bytes', 'data format'),
  must('profile-id-zero', 'a profile id is not all zero', 'data format'),
  // Profiles of one scope and time may share an id, because readers split a recording with several types.
  should('profile-id-unique', 'no two recordings have the same profile id', 'data format'),
  must('original-payload-pair', 'an original payload and its format are both set or both unset', 'data format'),
  should('original-payload-format', 'the format of an original payload is pprof, jfr or linux_perf', 'data format'),
  should('doc-url', 'pprof.profile.doc_url is an absolute URL', 'semantic conventions'),

  // Samples.
  must('sample-empty', 'a sample has a value or a timestamp', 'data format'),
  must('sample-lengths', 'a sample with values and timestamps has the same number of both', 'data format'),
  // The data format describes three shapes. The one without timestamps has one value, the total.
  must('sample-one-value', 'a sample without timestamps has exactly one value', 'profcheck'),
  should('sample-shape', 'all samples of a profile have the same shape', 'data format'),
  should('sample-identity', 'no two samples of a profile have the same stack, attributes and link', 'data format'),
  should('timestamp-duration', 'a profile whose samples have timestamps has a duration', 'data format'),
  should('timestamp-range', 'timestamps are in [time_unix_nano, time_unix_nano + duration_nano)', 'data format'),

  // Resources and scopes.
  should('container-empty', 'there are profiles, and no resource or scope is empty', 'profcheck'),
  should('schema-url', 'a schema URL has the form http[s]://server/path/<version>', 'data format'),
  // common.proto says MUST for the next three, but entities are in development and nothing in a profile uses them.
  should('entity-type', 'a reference to an entity has a type', 'common.proto'),
  should('entity-id', 'a reference to an entity has at least one identifying key', 'common.proto'),
  should('entity-keys', 'the keys of a reference to an entity are keys of the resource', 'common.proto'),
] as const satisfies readonly Rule[]

export const FILE_RULES = [
  must('decodable', 'the file can be decoded', 'protobuf'),
  must('key-twice', 'an attribute has a key or a reference to a key, not both', 'common.proto'),
  must('profile-missing', 'a container has a profile, even next to an original payload', 'OTEP 0239'),
  must('profile-id-missing', 'a container has a profile id', 'OTEP 0239'),
  // "Semantically required": recordings of many formats have no time.
  should('time-missing', 'a container has a start time and an end time', 'OTEP 0239'),
  must('time-order', 'no profile ends before it starts', 'OTEP 0239'),
  must('temporality-unspecified', 'the aggregation temporality of a sample type is specified', 'OTEP 0239'),
  must('location-range', 'the locations of a sample are within location_indices', 'OTEP 0239'),
  must('sample-values', 'a sample has a value for each sample type', 'OTEP 0239'),
  must('label-value', 'a label has a string or a number, not both', 'OTEP 0239'),
  // "Strongly discouraged and should never be used."
  should('label-keys-unique', 'no two labels of a sample have the same key', 'OTEP 0239'),
  should('ambiguous-link', 'no sample has link 0 if the first link is not empty: it means both', 'OTEP 0239'),
  must('list-lengths', 'the arrays of a list of samples have the same length', 'arrays draft'),
  // The draft says that it is not acceptable. It has no other way to write the type of a profile without samples.
  should('list-empty', 'a list of samples has samples', 'arrays draft'),
  must('clock-frequency', 'a clock has a frequency', 'timestamped events'),
  must('event-clock', 'single events, and events with a time or a duration, have a clock', 'timestamped events'),
  should('event-value-sum', 'an event does not have a value and a different sum', 'timestamped events'),
] as const satisfies readonly Rule[]

/** In the order in which problems are listed. */
export const ALL_RULES: readonly (Rule & { readonly id: RuleId })[] = [...FILE_RULES, ...RULES]

export type RuleId = (typeof RULES)[number]['id'] | (typeof FILE_RULES)[number]['id']

function must<const Id extends string>(id: Id, title: string, source: RuleSource) {
  return { id, level: 'must', title, source } as const
}

function info<const Id extends string>(id: Id, title: string, source: RuleSource) {
  return { id, level: 'info', title, source } as const
}

function should<const Id extends string>(id: Id, title: string, source: RuleSource) {
  return { id, level: 'should', title, source } as const
}
