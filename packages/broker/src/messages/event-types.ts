// The types of events, and what their contents are called. Names with `io.kubefox` are the protocol's own, those with
// `profiling` are Hearth's.

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
  /** REQUEST to the Broker: who is there? */
  components: 'profiling.components',
  /** MESSAGE: a profile that nobody asked for. */
  profile: 'profiling.profile',
} as const

export const CONTENT_TYPE = {
  json: 'application/json; charset=UTF-8',
  protobuf: 'application/protobuf',
  profiles: 'application/protobuf; proto=opentelemetry.proto.profiles.v1development.ProfilesData',
  text: 'text/plain',
  html: 'text/html',
} as const

/** Whether content is JSON, whatever parameters stand behind the type. */
export function isJsonContent(contentType: string): boolean {
  return contentType.split(';', 1)[0].trim().toLowerCase() === 'application/json'
}

export const COMPONENT_TYPE = {
  broker: 'Broker',
  /** A process that answers captures about itself. */
  process: 'Process',
  /** An agent that answers captures about other processes of its host. */
  hostAgent: 'HostAgent',
  /** Whoever asks: the server's API, the command line. */
  console: 'Console',
  kubefox: 'KubeFox',
  httpAdapter: 'HTTPAdapter',
} as const
