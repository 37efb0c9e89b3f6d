// Open regressions and firing alerts: of all services, and of one service.
import type { JSX } from 'preact'
import { ALERTS } from '../../address/alerts-route.ts'
import { client } from '../../state/session.ts'
import { useLoaded } from '../../state/use-loaded.ts'
import { counted } from '../../widgets/counted.ts'
import { RouteLink } from '../../widgets/route-link.tsx'

/** One entry per problem: the name of its service, which is empty for alerts without one. */
export interface Problems {
  readonly regressions: readonly string[]
  readonly firing: readonly string[]
}

const NONE: Problems = { regressions: [], firing: [] }

/** Empty until they are loaded, and if they cannot be loaded. */
export function useOpenProblems(now: number): Problems {
  const loaded = useLoaded(`open-problems:${now}`, async (signal): Promise<Problems> => {
    const [{ findings }, { alerts }] = await Promise.all([
      client.peek().act('findings', { state: 'open' }, { signal }),
      client.peek().act('alerts', {}, { signal }),
    ])
    const firing = alerts.filter(({ state }) => state === 'firing').map(({ labels }) => labels['service.name'] ?? '')
    return { regressions: findings.map(({ service }) => service), firing }
  })
  return loaded.value ?? NONE
}

export interface OpenProblemsProps {
  readonly problems: Problems
  /** Only problems of this service; of all services unless given. */
  readonly service?: string
}

/** The numbers of problems, with links to them. Shows nothing if there are none. */
export function OpenProblems({ problems, service }: OpenProblemsProps): JSX.Element {
  const countOf = (services: readonly string[]): number =>
    service === undefined ? services.length : services.filter(each => each === service).length
  const [regressions, firing] = [countOf(problems.regressions), countOf(problems.firing)]
  const to = { ...ALERTS, service: service ?? '' }
  return (
    <>
      {regressions > 0 && (
        <RouteLink class="open-problems" to={to}>
          {counted(regressions, 'open regression')}
        </RouteLink>
      )}
      {firing > 0 && (
        <RouteLink class="open-problems" to={{ ...to, tab: 'alerts' }}>
          {counted(firing, 'alert')} firing
        </RouteLink>
      )}
    </>
  )
}
