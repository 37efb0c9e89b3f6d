// One profile, whole: fetched as it was sent, and opened in this browser as a file would be. So everything it says is shown,
// and every format can be had of it.
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { ProfileRoute } from '../../address/route.ts'
import { PROFILES } from '../../address/route.ts'
import { goBack, navigate } from '../../state/navigation.ts'
import { client, localFiles } from '../../state/session.ts'
import { useLoaded } from '../../state/use-loaded.ts'
import { Failure } from '../../widgets/failure.tsx'
import { Icon } from '../../widgets/controls/icon.tsx'
import { ProfileView } from '../../widgets/profile-view/profile-view.tsx'
import { Progress } from '../../widgets/controls/progress.tsx'
import { DownloadMenu } from './download-menu.tsx'
import { ProfileFacts } from './profile-facts.tsx'
import '../explore/explore.css'
import './profiles.css'

export function ProfileScreen({ route }: { readonly route: ProfileRoute }): JSX.Element {
  const { profile, view } = route
  const [showsFacts, setShowsFacts] = useState(true)
  const loaded = useLoaded(`profile:${profile}`, async signal => {
    const { bytes } = await client.peek().profile(profile, {}, { signal })
    const file = await localFiles.add(`${profile}.otlp`, new Blob([bytes as Uint8Array<ArrayBuffer>]))
    const summary = await localFiles.summary(file, signal)
    return { file, summary: summary!, details: await localFiles.details(file, signal) }
  })
  if (loaded.error !== undefined && !loaded.loading) return <Failure error={loaded.error} onRetry={loaded.retry} />
  const { value } = loaded
  const [details] = value?.details.profiles ?? []
  return (
    <div class="explore">
      <Progress of={loaded} what="Fetching the profile" />
      <div class="bar">
        <button type="button" class="plain" onClick={() => goBack(PROFILES)}>
          <Icon name="back" /> Back
        </button>
        <h1 class="profile-title">
          {details === undefined ? 'Profile' : `${details.type} of ${serviceOf(details.resource)}`}
        </h1>
        <span class="spring" />
        <button type="button" aria-pressed={showsFacts} onClick={() => setShowsFacts(!showsFacts)}>
          Facts
        </button>
        {value !== undefined && <DownloadMenu profile={profile} formats={value.summary.writable} />}
      </div>
      {value !== undefined && (
        <div class={showsFacts ? 'profile-screen with-facts' : 'profile-screen'}>
          <ProfileView
            source={localFiles.part(value.file, '')}
            view={view}
            onView={(next, how) => navigate({ ...route, view: next }, how)}
            name={`${details?.type ?? 'profile'}-${profile}`}
            empty={<p class="reading">The profile has no samples.</p>}
          />
          {showsFacts && <ProfileFacts details={value.details} />}
        </div>
      )}
    </div>
  )
}

function serviceOf(resource: readonly { readonly key: string; readonly value: string }[]): string {
  return resource.find(({ key }) => key === 'service.name')?.value ?? 'a service without a name'
}
