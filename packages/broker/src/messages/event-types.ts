// The types of events and of their contents. Names with `io.kubefox` belong to the protocol, names with
// `profiling` to Hearth.

export const EVENT_TYPE = {
  register: 'io.kubefox.register',
  telemetry: 'io.kubefox.telemetry',
  error: 'io.kubefox.error',
  http: 'io.kubefox.http',
  /** From component to component. */
  kubefox: 'io.kubefox.kubefox',
  unknown: 'io.kubefox.unknown',
  /** REQUEST: record this. RESPONSE: the profile. */
  capture: 'profiling.capture',
  captureCancel: 'profiling.capture.cancel',
  /** REQUEST to the Broker: list the components. */
  components: 'profiling.components',
  /** MESSAGE: a profile that was not requested. */
  profile: 'profiling.profile',
} as const

export const CONTENT_TYPE = {
  json: 'application/json; charset=UTF-8',
  protobuf: 'application/protobuf',
  profiles: 'application/protobuf; proto=opentelemetry.proto.profiles.v1development.ProfilesData',
  text: 'text/plain',
  html: 'text/html',
} as const

/** Whether content is JSON. Ignores parameters of the type. */
export function isJsonContent(contentType: string): boolean {
  return contentType.split(';', 1)[0].trim().toLowerCase() === 'application/json'
}

export const COMPONENT_TYPE = {
  broker: 'Broker',
  /** A process that records captures of itself. */
  process: 'Process',
  /** An agent that records captures of other processes of its host. */
  hostAgent: 'HostAgent',
  /** A client that sends requests: the server's API, the command line. */
  console: 'Console',
  kubefox: 'KubeFox',
  httpAdapter: 'HTTPAdapter',
} as const
