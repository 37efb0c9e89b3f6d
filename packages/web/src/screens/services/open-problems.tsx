// The number of open regressions and firing alerts, with a link to them.
import type { JSX } from 'preact'
import { ALERTS } from '../../address/alerts-route.ts'
import { client } from '../../state/session.ts'
import { useLoaded } from '../../state/use-loaded.ts'
import { counted } from '../../widgets/counted.ts'
import { RouteLink } from '../../widgets/route-link.tsx'

/** Shows nothing if there are none, or if they cannot be loaded. */
export function OpenProblems({ now }: { readonly now: number }): JSX.Element {
  const loaded = useLoaded(`open-problems:${now}`, async signal => {
    const [{ findings }, { alerts }] = await Promise.all([
      client.peek().act('findings', { state: 'open' }, { signal }),
      client.peek().act('alerts', {}, { signal }),
    ])
    return { findings: findings.length, firing: alerts.filter(({ state }) => state === 'firing').length }
  })
  const { findings = 0, firing = 0 } = loaded.value ?? {}
  return (
    <>
      {findings > 0 && <RouteLink to={ALERTS}>{counted(findings, 'open regression')}</RouteLink>}
      {firing > 0 && <RouteLink to={{ ...ALERTS, tab: 'alerts' }}>{counted(firing, 'alert')} firing</RouteLink>}
    </>
  )
}
