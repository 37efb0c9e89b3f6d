// Adds and removes the components of other brokers in the local registries.
import { sameComponent } from '@hearth/broker'
import type { BrokerEnvironments } from '../../config/broker-environments.ts'
import { compileRoutes } from '../routing/compile-routes.ts'
import type { LiveComponent } from '../components/live-component.ts'
import type { Mesh, MeshHost } from './mesh.ts'
import { RemoteMember } from './remote-member.ts'
import { Subscription } from '../components/subscription.ts'
import type { TenantRouters } from '../routing/tenant-routers.ts'

export interface PeersOptions {
  readonly routers: TenantRouters
  readonly mesh: Mesh
  readonly environments: BrokerEnvironments
  /** A component has moved to another broker, so its stream at this broker is dead. */
  readonly replaced: (subscription: Subscription) => void
  readonly onError: (error: unknown) => void
}

const LEFT = 'it has left its broker'

export class Peers implements Pick<MeshHost, 'setPeer' | 'peerJoined' | 'peerLeft' | 'peerGone'> {
  readonly #options: PeersOptions

  constructor(options: PeersOptions) {
    this.#options = options
  }

  setPeer(brokerId: string, components: readonly LiveComponent[]): void {
    const { routers } = this.#options
    const named = new Set(components.map(({ tenant, component }) => JSON.stringify([tenant, component])))
    for (const [tenant, router] of routers.all()) {
      for (const member of router.registry.membersAt(brokerId))
        if (!named.has(JSON.stringify([tenant, member.component]))) router.remove(member, LEFT)
      routers.release(tenant)
    }
    for (const live of components) this.#add(live)
  }

  peerJoined(live: LiveComponent): void {
    const { routers, replaced } = this.#options
    const old = routers.find(live.tenant)?.registry.sameInstance(live.component)
    if (old instanceof Subscription) replaced(old)
    this.#add(live)
  }

  peerLeft({ tenant, component }: Pick<LiveComponent, 'tenant' | 'component'>): void {
    const { routers } = this.#options
    const router = routers.find(tenant)
    const member = router?.registry.sameInstance(component)
    // The component may have joined another broker before this message arrived.
    if (member instanceof RemoteMember && sameComponent(member.component, component)) router?.remove(member, LEFT)
    routers.release(tenant)
  }

  peerGone(brokerId: string, why: string): void {
    const { routers } = this.#options
    for (const [tenant, router] of routers.all()) {
      router.peerGone(brokerId, why)
      routers.release(tenant)
    }
  }

  #add(live: LiveComponent): void {
    const { routers, mesh, environments, onError } = this.#options
    const { tenant, environment, defaultHandler } = live
    const router = routers.of(tenant)
    const old = router.registry.sameInstance(live.component)
    // Local subscriptions win, and known streams need no update.
    if (old instanceof Subscription || (old instanceof RemoteMember && isSameStream(old.live, live))) return
    try {
      const routes = compileRoutes(live.routes, environments.of(tenant, environment))
      const handling = JSON.stringify([live.routes, defaultHandler])
      router.add(new RemoteMember(live, mesh), { environment, isRemote: true, defaultHandler, handling, routes })
    } catch (error) {
      onError(error)
    }
    routers.release(tenant)
  }
}

function isSameStream(a: LiveComponent, b: LiveComponent): boolean {
  return sameComponent(a.component, b.component) && a.since.getTime() === b.since.getTime()
}
