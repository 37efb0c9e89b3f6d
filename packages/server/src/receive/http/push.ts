// `POST /v1/push?service=NAME&format=F`: stores a profile of any readable format as if it had come over OTLP.
//
//   curl --data-binary @cpu.pb.gz 'http://127.0.0.1:4318/v1/push?service=checkout'
import { nodeCodecs } from '@hearth/codecs'
import type { KeyValue, Note, Profiles, Resource } from '@hearth/profile'
import {
  CompressionError,
  EmptyInputError,
  FormatError,
  UnknownFormatError,
  readProfile,
  withResources,
} from '@hearth/profile'
import { SERVICE_KEYS } from '../../store/containers.ts'
import type { Content, ContentReader, ReadContext } from '../content.ts'
import { measureFile } from '../content.ts'
import { badQuery, tooLarge, undecodable } from '../refusal.ts'
import { requestId } from '../request-id.ts'

/** The file as the server read it, with the notes of the format's reader. */
export interface PushResponse {
  readonly format: string
  readonly profiles: number
  readonly samples: number
  readonly notes: readonly Note[]
}

export type PushQuery = Readonly<Record<string, string | readonly string[]>>

const PARAMETERS = ['service', 'format', 'generation', 'name', 'attribute'] as const

const READER = 'push'

/** Throws Refusal if a parameter is not known. */
export function pushContent(query: PushQuery): Content {
  const unknown = Object.keys(query).find(name => !PARAMETERS.some(known => known === name))
  if (unknown !== undefined) throw badQuery(`unknown parameter '${unknown}'; use ${PARAMETERS.join(', ')}`)
  return { reader: READER, options: { ...query } }
}

export const pushReader: Readonly<Record<typeof READER, ContentReader<PushQuery>>> = {
  [READER]: {
    id: (body, query) => {
      const { format = '', generation = '' } = query
      return requestId(
        `push ${format.toString()} ${generation.toString()} ${JSON.stringify(attributesOf(query))}`,
        body,
      )
    },
    measure: measureFile,
    read: (body, query, context) => {
      const { profiles, format, notes } = read(query, body, context)
      const attributes = attributesOf(query)
      const named = withResources(profiles, resource => withAttributes(resource, attributes))
      if (profiles.profiles.length === 0) throw undecodable(`${format}: the file contains no profile`)
      if (!everyResourceHasService(named)) throw badQuery('the profile has no service.name; add ?service=NAME')
      const response: PushResponse = {
        format,
        profiles: profiles.profiles.length,
        samples: profiles.samples.length,
        notes,
      }
      return { payload: { signal: 'profiles', profiles: named }, generation: format, isAtomic: true, response }
    },
  },
}

function read(
  query: PushQuery,
  body: Uint8Array,
  { maxBody: limit, symbols }: ReadContext,
): { profiles: Profiles; format: string; notes: readonly Note[] } {
  const format = single(query, 'format')
  const generation = single(query, 'generation')
  const fileName = single(query, 'name')
  try {
    const result = readProfile(body, {
      codecs: nodeCodecs,
      limit,
      symbols,
      ...(format === undefined ? {} : { format }),
      ...(generation === undefined ? {} : { generation }),
      ...(fileName === undefined ? {} : { fileName }),
    })
    return { profiles: result.profiles, format: result.format.name, notes: result.notes }
  } catch (error) {
    if (error instanceof CompressionError && error.reason === 'limit') throw tooLarge(limit, error.message)
    const ofInput = [FormatError, CompressionError, UnknownFormatError, EmptyInputError].some(
      kind => error instanceof kind,
    )
    if (ofInput && error instanceof Error) throw undecodable(error.message)
    // The requested generation does not exist. Without a requested generation a RangeError is a bug.
    if (error instanceof RangeError && generation !== undefined) throw badQuery(error.message)
    throw error
  }
}

function attributesOf(query: PushQuery): readonly KeyValue[] {
  const service = single(query, 'service')
  const given = [query['attribute'] ?? []].flat().map(text => {
    const equals = text.indexOf('=')
    if (equals < 1) throw badQuery(`attribute '${text}': write attribute=key=value`)
    return { key: text.slice(0, equals), value: text.slice(equals + 1) }
  })
  return service === undefined ? given : [{ key: 'service.name', value: service }, ...given]
}

/** Attributes of the query override those of the file. */
function withAttributes(resource: Resource, added: readonly KeyValue[]): Resource {
  const others = resource.attributes.filter(({ key }) => !added.some(attribute => attribute.key === key))
  return { ...resource, attributes: [...others, ...added] }
}

function isServiceKey(key: string): boolean {
  return SERVICE_KEYS.some(name => name === key)
}

function everyResourceHasService({ resources }: Profiles): boolean {
  for (let i = 0; i < resources.length; i++)
    if (!resources.resource(i).attributes.some(({ key, value }) => isServiceKey(key) && value !== '')) return false
  return true
}

function single(query: PushQuery, name: string): string | undefined {
  const value = query[name]
  if (value !== undefined && typeof value !== 'string') throw badQuery(`parameter '${name}' is given more than once`)
  return value
}
