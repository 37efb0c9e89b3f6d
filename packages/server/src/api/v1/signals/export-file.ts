// Exported spans, log records and data points as a file of OTLP, sent while the store is read.
import { NoteList } from '@hearth/profile'
import type { Codec } from '@hearth/signals'
import { logs, metrics, traces } from '@hearth/signals'
import type { ExportedItems, ExportedSignal } from '../../../query/signals/export-items.ts'
import { exportItems, itemsWithUnknownFields } from '../../../query/signals/export-items.ts'
import { MissingSymbols } from '../../../query/profiles/missing-symbols.ts'
import { QueryError } from '../../../query/query-error.ts'
import type { QueryEndpointContext } from '../request/request-context.ts'
import { signalQueryOf } from '../request/signal-parameters.ts'
import { RequestError } from '../response/request-error.ts'
import { StreamedFile, lengthPrefix } from '../response/file-response.ts'

const CODECS: Readonly<Record<ExportedSignal, Codec<ExportedItems>>> = {
  traces: traces as Codec<ExportedItems>,
  logs: logs as Codec<ExportedItems>,
  metrics: metrics as Codec<ExportedItems>,
}

const EXTENSIONS: Readonly<Record<string, string>> = { otlp: '.otlp', 'otlp-json': '.otlp.json' }

interface SignalExportRequest {
  readonly selector?: string | undefined
  readonly from?: string | undefined
  readonly to?: string | undefined
  readonly format?: string | undefined
  readonly stream?: boolean | undefined
}

/** Throws RequestError for formats other than OTLP, and QueryError if nothing matches. */
export async function exportedSignal(
  context: QueryEndpointContext,
  signal: ExportedSignal,
  request: SignalExportRequest,
): Promise<StreamedFile> {
  const { format = 'otlp', stream = false } = request
  const extension = EXTENSIONS[format]
  if (extension === undefined)
    throw new RequestError(
      400,
      'argument',
      `format: ${signal} are exported as otlp or otlp-json, not ${JSON.stringify(format)}`,
    )
  const query = signalQueryOf(context, request)
  const missing = new MissingSymbols()
  const sets = exportItems(context.queries, query, signal, missing)
  const first = await sets.next()
  if (first.done === true) throw new QueryError('not-found', `no ${signal} match`)
  const encode = format === 'otlp' ? protobufPieces : jsonPieces
  const pieces = encode(CODECS[signal], startingWith(first.value, sets), stream)
  const notes = new NoteList()
  notes.addAll(missing.notes())
  const message = 'items have fields that OTLP does not define; the file has those that were received in its encoding'
  notes.add('unknown-fields-kept', message, await itemsWithUnknownFields(context.queries, query, signal))
  return new StreamedFile(pieces, `${signal}${extension}`, notes.list())
}

async function* startingWith(first: ExportedItems, rest: AsyncGenerator<ExportedItems>): AsyncGenerator<ExportedItems> {
  try {
    yield first
    yield* rest
  } finally {
    await rest.return(undefined)
  }
}

/** Concatenated messages are one message in protobuf. As a stream, each has its length before it. */
async function* protobufPieces(
  codec: Codec<ExportedItems>,
  sets: AsyncIterable<ExportedItems>,
  isStream: boolean,
): AsyncGenerator<Uint8Array> {
  for await (const set of sets) {
    const bytes = codec.encode(set)
    if (isStream) yield lengthPrefix(bytes)
    yield bytes
  }
}

/** One JSON object with all items, or, as a stream, one per line. */
async function* jsonPieces(
  codec: Codec<ExportedItems>,
  sets: AsyncIterable<ExportedItems>,
  isStream: boolean,
): AsyncGenerator<Uint8Array> {
  const jsonOf = (set: ExportedItems): string => Buffer.from(codec.encodeJson(set)).toString()
  let isFirst = true
  // The members of the object besides its list, each once.
  const others = new Set<string>()
  for await (const set of sets) {
    if (isStream) yield Buffer.from(`${jsonOf(set)}\n`)
    else {
      const { unknown, ...list } = set
      // `{"resourceSpans":[…]}` without its end, and for further sets without its start.
      const text = jsonOf(list)
      yield Buffer.from(isFirst ? text.slice(0, -2) : `,${text.slice(text.indexOf('[') + 1, -2)}`)
      if (unknown !== undefined) others.add(jsonOf(withoutItems(set)).slice(1, -1))
    }
    isFirst = false
  }
  if (!isStream) yield Buffer.from(`${[']', ...[...others].filter(text => text !== '')].join(',')}}\n`)
}

function withoutItems(set: ExportedItems): ExportedItems {
  const lists = Object.entries(set).map(([name, value]): [string, unknown] => [name, Array.isArray(value) ? [] : value])
  return Object.fromEntries(lists) as unknown as ExportedItems
}
