// A single profile. The screen fetches it as it was sent and opens it in this browser like a file, so that all details are
// shown and every format can be written.
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { serviceOf } from '../../api/service-of.ts'
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
import { ProfileDetailsPanel } from './profile-details.tsx'
import '../explore/explore.css'
import './profiles.css'

export function ProfileScreen({ route }: { readonly route: ProfileRoute }): JSX.Element {
  const { profile, view } = route
  const [showsDetails, setShowsDetails] = useState(true)
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
      <Progress of={loaded} what="Loading the profile" />
      <div class="bar">
        <button type="button" class="plain" onClick={() => goBack(PROFILES)}>
          <Icon name="back" /> Back
        </button>
        <h1 class="profile-title">
          {details === undefined ? 'Profile' : `${serviceOf(details.resource) || 'unknown service'}: ${details.type}`}
        </h1>
        <span class="spring" />
        <button type="button" aria-pressed={showsDetails} onClick={() => setShowsDetails(!showsDetails)}>
          Details
        </button>
        {value !== undefined && <DownloadMenu profile={profile} formats={value.summary.writable} />}
      </div>
      {value !== undefined && (
        <div class={showsDetails ? 'profile-screen with-details' : 'profile-screen'}>
          <ProfileView
            source={localFiles.part({ file: value.file, type: '' })}
            view={view}
            onView={(next, how) => navigate({ ...route, view: next }, how)}
            name={`${details?.type ?? 'profile'}-${profile}`}
            empty={<p class="reading">No samples</p>}
          />
          {showsDetails && <ProfileDetailsPanel details={value.details} />}
        </div>
      )}
    </div>
  )
}
