// What to say where a selector finds nothing: what there is instead, or where to look.
import type { HearthClient } from '@hearth/client'
import type { Context } from '../context.ts'
import { countText } from '../terminal/count-text.ts'
import { printLines } from '../terminal/output.ts'
import { printable } from '../terminal/printable.ts'

export interface EmptySelection {
  /** What is empty: a selector, or one side of a comparison. */
  readonly about: string
  /** What was looked at; undefined where only the server knows. */
  readonly range: { readonly from?: string | undefined; readonly to?: string | undefined } | undefined
  /** The option that says when. */
  readonly option: string
}

/** More would hide the advice. */
const SHOWN = 6

/** On standard error: the answer itself is right, and a script may be reading it. */
export async function printNothingFound(
  client: HearthClient,
  { about, range, option }: EmptySelection,
  context: Context,
): Promise<void> {
  const advice = await nothingAdvice(client, range, option)
  context.progress.done()
  await printLines(context.stderr, [`hearth: ${printable(about)}: no profiles are selected`, `  ${printable(advice)}`])
}

/** Advice is not worth an error of its own. */
export async function nothingAdvice(
  client: HearthClient,
  range: EmptySelection['range'],
  option: string,
): Promise<string> {
  const elsewhere = `${option} says where to look.`
  return range === undefined ? elsewhere : await whatThereIs(client, range, option).catch(() => elsewhere)
}

async function whatThereIs(
  client: HearthClient,
  { from, to }: NonNullable<EmptySelection['range']>,
  option: string,
): Promise<string> {
  const asked = { ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) }
  const { services } = await client.ask('services', asked)
  const when = `from ${from ?? 'now-1h'} to ${to ?? 'now'}`
  if (services.length === 0) {
    return `The server has none at all ${when}: ${option} says where to look, and \`hearth push\` sends it some.`
  }
  const named = services
    .slice(0, SHOWN)
    .map(({ service, types }) => `${service === '' ? '(no name)' : service} with ${types.join(', ')}`)
  const more = services.length > SHOWN ? `; and ${countText(services.length - SHOWN)} services more` : ''
  return `The server has, ${when}: ${named.join('; ')}${more}.`
}
