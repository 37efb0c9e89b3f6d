// Pyroscope's push.v1: pprof files with labels.
import type { ContentOf } from '@hearth/signals'
import { bytes, defineProtoJson, messages, named, text } from '@hearth/signals'
import type { LabelPair } from './types-messages.ts'
import { LABEL_PAIR } from './types-messages.ts'

const PACKAGE = 'push.v1'

export const PUSHER_SERVICE = `${PACKAGE}.PusherService`

export const RAW_SAMPLE = defineProtoJson(`${PACKAGE}.RawSample`, {
  /** pprof, gzipped or not. */
  rawProfile: bytes(1),
  /** A UUID, or empty. */
  ID: named({ proto: 'ID' }, text(2)),
})
export interface RawSample extends ContentOf<typeof RAW_SAMPLE> {}

/** Field 3, annotations, is for Pyroscope's own use. Hearth skips it, as Pyroscope does. */
export const RAW_PROFILE_SERIES = defineProtoJson(`${PACKAGE}.RawProfileSeries`, {
  labels: messages<LabelPair>(1, LABEL_PAIR),
  samples: messages<RawSample>(2, RAW_SAMPLE),
})
export interface RawProfileSeries extends ContentOf<typeof RAW_PROFILE_SERIES> {}

export const PUSH_REQUEST = defineProtoJson(`${PACKAGE}.PushRequest`, {
  series: messages<RawProfileSeries>(1, RAW_PROFILE_SERIES),
})
export interface PushRequest extends ContentOf<typeof PUSH_REQUEST> {}

export const PUSH_RESPONSE = defineProtoJson(`${PACKAGE}.PushResponse`, {})
