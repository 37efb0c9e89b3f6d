// The entry point of the package: Node's gzip and zstd for @hearth/profile.
export { nodeCodecs, openZstd, opened } from './node-codecs.ts'
