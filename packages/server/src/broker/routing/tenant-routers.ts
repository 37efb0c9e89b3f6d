// Creates routers of tenants on demand and drops empty ones, because clients choose tenant names.
import { TenantRouter } from './tenant-router.ts'
import type { RouterHost } from './tenant-router.ts'

export class TenantRouters {
  readonly #routers = new Map<string, TenantRouter>()
  readonly #hostOf: (tenant: string) => RouterHost

  constructor(hostOf: (tenant: string) => RouterHost) {
    this.#hostOf = hostOf
  }

  get size(): number {
    return this.#routers.size
  }

  find(tenant: string): TenantRouter | undefined {
    return this.#routers.get(tenant)
  }

  /** Returns the router of a tenant, creating it if necessary. Call `release` when done with it. */
  of(tenant: string): TenantRouter {
    let router = this.#routers.get(tenant)
    if (router === undefined) this.#routers.set(tenant, (router = new TenantRouter(this.#hostOf(tenant))))
    return router
  }

  release(tenant: string): void {
    if (this.#routers.get(tenant)?.isEmpty === true) this.#routers.delete(tenant)
  }

  all(): readonly (readonly [tenant: string, router: TenantRouter])[] {
    return [...this.#routers]
  }
}
