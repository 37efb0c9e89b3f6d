// The identity of the process for a Broker, derived from its resource.
import type { KeyValue } from '@hearth/profile/recording'
import type { BrokerClientOptions } from '@hearth/broker'
import { COMPONENT_TYPE, normalizeName } from '@hearth/broker'

type Identity = Required<Pick<BrokerClientOptions, 'component' | 'context'>> & {
  /** The resource as text, for people who search for components. */
  readonly attributes: Readonly<Record<string, string>>
}

/** Stands in for a missing version, because the protocol requires one. */
const NO_VERSION = 'unversioned'

export function identityOf(resource: readonly KeyValue[]): Identity {
  const attributes = Object.fromEntries(
    resource.flatMap(({ key, value }) => (typeof value === 'object' ? [] : [[key, String(value)] as const])),
  )
  const text = (...keys: readonly string[]): string => {
    const found = keys.map(key => attributes[key] ?? '').find(value => value !== '')
    return printable(found ?? '')
  }
  const hash = text('service.version', 'process.executable.build_id.htlhash', 'vcs.ref.head.revision') || NO_VERSION
  const environment = normalizeName(text('deployment.environment.name', 'deployment.environment'))
  return {
    component: {
      type: COMPONENT_TYPE.process,
      app: normalizeName(text('service.namespace')),
      name: normalizeName(text('service.name')) || 'unknown',
      hash,
      id: text('service.instance.id'),
    },
    // The protocol requires both an environment and a deployment, or neither.
    context: environment === '' ? {} : { virtualEnvironment: environment, appDeployment: hash },
    attributes,
  }
}

/** Restricts a text to what a header may contain: ASCII, of limited length. */
function printable(text: string): string {
  return text.replace(/[^\x21-\x7e]/g, '-').slice(0, 200)
}
