// Parca's parca.debuginfo.v1alpha1: uploads of debug files by its agents.
import type { ContentOf } from '@hearth/signals'
import { bool, bytes, defineProtoJson, enumeration, int64, message, named, oneOf, text, uint64 } from '@hearth/signals'

const PACKAGE = 'parca.debuginfo.v1alpha1'

export const DEBUGINFO_SERVICE = `${PACKAGE}.DebuginfoService`

export const DEBUGINFO_TYPE = {
  name: `${PACKAGE}.DebuginfoType`,
  values: { DEBUGINFO_TYPE_DEBUGINFO_UNSPECIFIED: 0, DEBUGINFO_TYPE_EXECUTABLE: 1, DEBUGINFO_TYPE_SOURCES: 2 },
} as const

export const BUILD_ID_TYPE = {
  name: `${PACKAGE}.BuildIDType`,
  values: {
    BUILD_ID_TYPE_UNKNOWN_UNSPECIFIED: 0,
    BUILD_ID_TYPE_GNU: 1,
    BUILD_ID_TYPE_HASH: 2,
    BUILD_ID_TYPE_GO: 3,
  },
} as const

export const UPLOAD_STRATEGY = {
  name: `${PACKAGE}.UploadStrategy`,
  values: { UPLOAD_STRATEGY_UNSPECIFIED: 0, UPLOAD_STRATEGY_GRPC: 1, UPLOAD_STRATEGY_SIGNED_URL: 2 },
} as const

const buildIdType = (number: number) => named({ proto: 'build_id_type' }, enumeration(number, BUILD_ID_TYPE))

export const SHOULD_INITIATE_UPLOAD_REQUEST = defineProtoJson(`${PACKAGE}.ShouldInitiateUploadRequest`, {
  buildId: text(1),
  hash: text(2),
  force: bool(3),
  type: enumeration(4, DEBUGINFO_TYPE),
  buildIdType: buildIdType(5),
})

export const SHOULD_INITIATE_UPLOAD_RESPONSE = defineProtoJson(`${PACKAGE}.ShouldInitiateUploadResponse`, {
  shouldInitiateUpload: bool(1),
  reason: text(2),
})

export const INITIATE_UPLOAD_REQUEST = defineProtoJson(`${PACKAGE}.InitiateUploadRequest`, {
  buildId: text(1),
  size: int64(2),
  hash: text(3),
  force: bool(4),
  type: enumeration(5, DEBUGINFO_TYPE),
  buildIdType: buildIdType(6),
})

export const UPLOAD_INSTRUCTIONS = defineProtoJson(`${PACKAGE}.UploadInstructions`, {
  buildId: text(1),
  uploadId: text(2),
  uploadStrategy: enumeration(3, UPLOAD_STRATEGY),
  signedUrl: text(4),
  type: enumeration(5, DEBUGINFO_TYPE),
})
export interface UploadInstructions extends ContentOf<typeof UPLOAD_INSTRUCTIONS> {}

export const INITIATE_UPLOAD_RESPONSE = defineProtoJson(`${PACKAGE}.InitiateUploadResponse`, {
  uploadInstructions: message<UploadInstructions>(1, UPLOAD_INSTRUCTIONS),
})

export const UPLOAD_INFO = defineProtoJson(`${PACKAGE}.UploadInfo`, {
  buildId: text(1),
  uploadId: text(2),
  type: enumeration(3, DEBUGINFO_TYPE),
})
export interface UploadInfo extends ContentOf<typeof UPLOAD_INFO> {}

export const UPLOAD_REQUEST = defineProtoJson(`${PACKAGE}.UploadRequest`, {
  info: oneOf('data', message<UploadInfo>(1, UPLOAD_INFO)),
  chunkData: oneOf('data', bytes(2)),
})

export const UPLOAD_RESPONSE = defineProtoJson(`${PACKAGE}.UploadResponse`, { buildId: text(1), size: uint64(2) })

export const MARK_UPLOAD_FINISHED_REQUEST = defineProtoJson(`${PACKAGE}.MarkUploadFinishedRequest`, {
  buildId: text(1),
  uploadId: text(2),
  type: enumeration(3, DEBUGINFO_TYPE),
})

export const MARK_UPLOAD_FINISHED_RESPONSE = defineProtoJson(`${PACKAGE}.MarkUploadFinishedResponse`, {})
