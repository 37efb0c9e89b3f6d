// The application: its navigation bar, the screen of the current route, and the dialogs.
import type { JSX } from 'preact'
import { useErrorBoundary, useState } from 'preact/hooks'
import type { Route } from './address/route.ts'
import { EXPLORE, FILES } from './address/route.ts'
import { ExploreScreen } from './screens/explore/explore-screen.tsx'
import { lazy } from './widgets/lazy.tsx'
import { MissingScreen } from './screens/missing-screen.tsx'
import { HAS_FILES_ALONE, SCREENS } from './screens/screens.ts'
import { isMac, useCommands } from './state/commands.ts'
import { navigate, route } from './state/navigation.ts'
import { isSignedIn, missingData, signInReason, signOut } from './state/session.ts'
import { chooseTheme, theme, themeChoice } from './state/theme.ts'
import { AccountMenu } from './widgets/dialogs/account-menu.tsx'
import { SignInDialog } from './widgets/dialogs/sign-in-dialog.tsx'
import { Failure } from './widgets/failure.tsx'
import { Icon } from './widgets/controls/icon.tsx'
import { RouteLink } from './widgets/route-link.tsx'

const CompareScreen = lazy(async () => (await import('./screens/compare/compare-screen.tsx')).CompareScreen)
const FileScreen = lazy(async () => (await import('./screens/file/file-screen.tsx')).FileScreen)
const ProfilesScreen = lazy(async () => (await import('./screens/profiles/profiles-screen.tsx')).ProfilesScreen)
const ProfileScreen = lazy(async () => (await import('./screens/profiles/profile-screen.tsx')).ProfileScreen)
const TracesScreen = lazy(async () => (await import('./screens/traces/traces-screen.tsx')).TracesScreen)
const TraceScreen = lazy(async () => (await import('./screens/traces/trace/trace-screen.tsx')).TraceScreen)
const SlowScreen = lazy(async () => (await import('./screens/traces/slow-screen.tsx')).SlowScreen)
const LogsScreen = lazy(async () => (await import('./screens/logs/logs-screen.tsx')).LogsScreen)
const BrokerScreen = lazy(async () => (await import('./screens/broker/broker-screen.tsx')).BrokerScreen)
const CaptureScreen = lazy(async () => (await import('./screens/broker/captures/capture-screen.tsx')).CaptureScreen)
const MetricsScreen = lazy(async () => (await import('./screens/metrics/metrics-screen.tsx')).MetricsScreen)
const StatusScreen = lazy(async () => (await import('./screens/status/status-screen.tsx')).StatusScreen)
const SymbolsScreen = lazy(async () => (await import('./screens/symbols/symbols-screen.tsx')).SymbolsScreen)
const Palette = lazy(async () => (await import('./widgets/dialogs/command-palette.tsx')).CommandPalette)
const Help = lazy(async () => (await import('./widgets/dialogs/help-dialog.tsx')).HelpDialog)

type Open = 'palette' | 'help' | undefined

export function App(): JSX.Element {
  const [open, setOpen] = useState<Open>(undefined)
  // The browser reports closing in a task of its own. A key may have opened the other dialog before, which must stay open.
  const closing = (which: Open) => (): void => setOpen(now => (now === which ? undefined : now))
  useCommands(
    () => [
      { title: 'Open the command palette', group: 'General', keys: ['mod+k'], run: () => setOpen('palette') },
      { title: 'Show keyboard shortcuts', group: 'General', keys: ['?'], run: () => setOpen('help') },
      {
        title: 'Toggle light and dark theme',
        group: 'General',
        keys: ['shift+d'],
        run: () => chooseTheme(theme.peek() === 'dark' ? 'light' : 'dark'),
      },
      { title: 'Use the system theme', group: 'General', keys: [], run: () => chooseTheme('system') },
      ...SCREENS.map(({ title, key, to }) => ({
        title: `Go to ${title}`,
        group: 'Screens',
        keys: [key],
        run: () => navigate(to),
      })),
      ...(isSignedIn.value ? [{ title: 'Sign out', group: 'General', keys: [], run: () => void signOut() }] : []),
    ],
    [isSignedIn.value],
  )
  const shown = HAS_FILES_ALONE && route.value.screen !== 'file' ? FILES : route.value
  return (
    <div class="app">
      <Head current={shown.screen} onOpen={setOpen} />
      {missingData.value !== undefined && <MissingData message={missingData.value} />}
      <main class="screen">
        <Screen key={shown.screen} route={shown} />
      </main>
      {open === 'palette' && <Palette onClose={closing('palette')} />}
      {open === 'help' && <Help onClose={closing('help')} />}
      {signInReason.value !== undefined && <SignInDialog reason={signInReason.value} />}
    </div>
  )
}

/** Says on every screen that damaged data is missing. */
function MissingData({ message }: { readonly message: string }): JSX.Element {
  return (
    <p class="missing-data" role="alert">
      <Icon name="warning" /> {message[0].toUpperCase() + message.slice(1)}.{' '}
      <RouteLink to={{ screen: 'status' }}>Details</RouteLink>
    </p>
  )
}

function Head({
  current,
  onOpen,
}: {
  readonly current: Route['screen']
  readonly onOpen: (open: Open) => void
}): JSX.Element {
  return (
    <header class="head">
      <RouteLink class="brand" to={HAS_FILES_ALONE ? FILES : EXPLORE}>
        <svg width="18" height="18" viewBox="0 0 16 16" aria-hidden="true">
          <path fill="oklch(0.62 0.17 40)" d="M1 11h14v4H1z" />
          <path fill="oklch(0.71 0.15 50)" d="M3 6h7v4H3z" />
          <path fill="oklch(0.8 0.11 60)" d="M4 1h4v4H4z" />
        </svg>
        Hearth
      </RouteLink>
      <nav aria-label="Screens">
        {SCREENS.map(({ title, to, screens }) => (
          <RouteLink key={title} to={to} current={screens.includes(current)}>
            {title}
          </RouteLink>
        ))}
      </nav>
      <div class="ends">
        <button type="button" class="plain" title="Command palette" onClick={() => onOpen('palette')}>
          <Icon name="search" />
          <kbd>{isMac ? '⌘ K' : 'Ctrl K'}</kbd>
        </button>
        <button
          type="button"
          class="plain icon"
          aria-label={theme.value === 'dark' ? 'Light theme' : 'Dark theme'}
          title={`${theme.value === 'dark' ? 'Light theme' : 'Dark theme'} (current: ${themeChoice.value})`}
          onClick={() => chooseTheme(theme.value === 'dark' ? 'light' : 'dark')}
        >
          <Icon name={theme.value === 'dark' ? 'sun' : 'moon'} />
        </button>
        <button
          type="button"
          class="plain icon"
          aria-label="Keyboard shortcuts"
          title="Keyboard shortcuts (?)"
          onClick={() => onOpen('help')}
        >
          <Icon name="help" />
        </button>
        {!HAS_FILES_ALONE && <AccountMenu />}
      </div>
    </header>
  )
}

/** Renders the screen of a route. An exception in one screen leaves the others usable. */
function Screen({ route: shown }: { readonly route: Route }): JSX.Element {
  const [error, reset] = useErrorBoundary() as readonly [unknown, () => void]
  if (error !== undefined) return <Failure error={error} onRetry={reset} />
  switch (shown.screen) {
    case 'explore':
      return <ExploreScreen route={shown} />
    case 'compare':
      return <CompareScreen route={shown} />
    case 'file':
      return <FileScreen route={shown} />
    case 'profiles':
      return <ProfilesScreen route={shown} />
    case 'profile':
      return <ProfileScreen route={shown} />
    case 'traces':
      return <TracesScreen route={shown} />
    case 'trace':
      return <TraceScreen route={shown} />
    case 'slow':
      return <SlowScreen route={shown} />
    case 'logs':
      return <LogsScreen route={shown} />
    case 'broker':
      return <BrokerScreen route={shown} />
    case 'capture':
      return <CaptureScreen route={shown} />
    case 'metric':
      return <MetricsScreen route={shown} />
    case 'symbols':
      return <SymbolsScreen route={shown} />
    case 'status':
      return <StatusScreen />
    case 'missing':
      return <MissingScreen path={shown.path} />
  }
}
