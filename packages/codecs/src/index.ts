// The entry point of the package: Node's gzip and zstd for @hearth/profile, and Snappy and LZ4 for requests.
export { CodecError } from './codec-error.ts'
export { openLz4 } from './lz4.ts'
export { nodeCodecs, openZstd, opened } from './node-codecs.ts'
export { openSnappy } from './snappy.ts'
