// The advice for an empty result: what the server has instead, or where to look.
import type { HearthClient } from '@hearth/client'
import type { Context } from '../context.ts'
import { countText } from '../terminal/count-text.ts'
import { printLines } from '../terminal/output.ts'
import { printable } from '../terminal/printable.ts'

export interface EmptySelection {
  /** A selector, or one side of a comparison. */
  readonly about: string
  /** The queried range. Undefined if only the server knows it. */
  readonly range: { readonly from?: string | undefined; readonly to?: string | undefined } | undefined
  /** The option that sets the range. */
  readonly option: string
}

/** The maximum number of services. More would hide the advice. */
const MAX_SERVICES = 6

/** Prints to standard error: the result itself is right, and a script may read it. */
export async function printNothingFound(
  client: HearthClient,
  { about, range, option }: EmptySelection,
  context: Context,
): Promise<void> {
  const advice = await nothingAdvice(client, range, option)
  context.progress.done()
  await printLines(context.stderr, [`hearth: ${printable(about)}: no profiles match`, `  ${printable(advice)}`])
}

/** Returns general advice if the server cannot be queried for it. */
export async function nothingAdvice(
  client: HearthClient,
  range: EmptySelection['range'],
  option: string,
): Promise<string> {
  const elsewhere = `Set the range with ${option}.`
  return range === undefined ? elsewhere : await whatThereIs(client, range, option).catch(() => elsewhere)
}

async function whatThereIs(
  client: HearthClient,
  { from, to }: NonNullable<EmptySelection['range']>,
  option: string,
): Promise<string> {
  const times = { ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) }
  const { services } = await client.query('services', times)
  const when = `from ${from ?? 'now-1h'} to ${to ?? 'now'}`
  if (services.length === 0) {
    return `The server has no profiles ${when}. Set the range with ${option}, or send profiles with \`hearth push\`.`
  }
  const named = services
    .slice(0, MAX_SERVICES)
    .map(({ service, types }) => `${service === '' ? '(no name)' : service} with ${types.map(selectable).join(', ')}`)
  const more = services.length > MAX_SERVICES ? `; and ${countText(services.length - MAX_SERVICES)} more services` : ''
  return `Profiles ${when}: ${named.join('; ')}${more}.`
}

/** A type and unit as a selector: a name with a colon, such as perf's cpu-clock:ppp, needs quotes. */
function selectable(type: string): string {
  const colon = type.lastIndexOf(':')
  return type.indexOf(':') === colon ? type : `"${type.slice(0, colon)}"${type.slice(colon)}`
}
