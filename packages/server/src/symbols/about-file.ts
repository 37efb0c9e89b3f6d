// The description of a stored debug file, kept beside it as about.json.
import type { Segment } from '@hearth/profile'
import { z } from 'zod'

/** The content of an index: nothing, names of functions, or names with files, lines and inlined calls. Worst first. */
export const QUALITIES = ['none', 'names', 'lines'] as const
export type Quality = (typeof QUALITIES)[number]

export const SYMBOL_SOURCES = ['upload', 'parca', 'folder', 'debuginfod'] as const
export type DebugFileOrigin = (typeof SYMBOL_SOURCES)[number]

/** The format of archives of source code, whose index has their texts. */
export const SOURCES_FORMAT = 'sources'

const aboutSchema = z.object({
  /** The first 32 hex digits of the SHA-256 of the content. */
  id: z.string().regex(/^[0-9a-f]{32}$/),
  name: z.string(),
  source: z.enum(SYMBOL_SOURCES),
  /** All ids by which a profile may name the binary, of any kind. */
  buildIds: z.array(z.string()),
  format: z.string(),
  quality: z.enum(QUALITIES),
  fileBytes: z.number(),
  indexBytes: z.number(),
  /** Milliseconds since 1970. */
  created: z.number(),
  segments: z.array(
    z.object({
      fileOffset: z.number(),
      fileSize: z.number(),
      address: z.string(),
      memorySize: z.number(),
      executable: z.boolean(),
    }),
  ),
  /** The address of a kernel's code, in hex. Profiles have addresses of the kernel relative to it. */
  kernelStart: z.string().optional(),
  /** The build id of a file that holds a part of the debug information (`dwz`). */
  supplement: z.string().optional(),
  /** Whether the index was made with that file. */
  supplemented: z.boolean().optional(),
  /** The machine (`uname -m`) of the code in the file, which can be disassembled. Missing if the code was dropped. */
  code: z.string().optional(),
  /** Whether the file has the split units of other files (.dwp). */
  isPackage: z.boolean().optional(),
  /** The number of split units that the index lacks. */
  missingUnits: z.number().optional(),
  /** The number of files in an archive of source code. */
  sources: z.number().optional(),
})

export type AboutFile = z.infer<typeof aboutSchema>
export type StoredSegment = AboutFile['segments'][number]

/** Throws if the content is not of this version. */
export function parseAbout(json: unknown): AboutFile {
  return aboutSchema.parse(json)
}

export function storedSegments(segments: readonly Segment[]): StoredSegment[] {
  return segments.map(segment => ({ ...segment, address: segment.address.toString() }))
}

export function segmentsOf(stored: readonly StoredSegment[]): Segment[] {
  return stored.map(segment => ({ ...segment, address: BigInt(segment.address) }))
}

export function isBetter(a: Quality, b: Quality): boolean {
  return QUALITIES.indexOf(a) > QUALITIES.indexOf(b)
}
