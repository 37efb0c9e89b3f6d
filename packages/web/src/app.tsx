// The application: its navigation bar, the screen of the current route, and the dialogs.
import type { JSX } from 'preact'
import { useErrorBoundary, useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { Route } from './address/route.ts'
import { FILES, SERVICES } from './address/route.ts'
import { timeProblems } from './address/route-times.ts'
import { lazy } from './widgets/lazy.tsx'
import { DropAnywhere } from './screens/file/drop-anywhere.tsx'
import { InvalidTimes } from './screens/invalid-times.tsx'
import { MissingScreen } from './screens/missing-screen.tsx'
import { SCREENS } from './screens/screens.ts'
import { HAS_FILES_ALONE } from './state/files-alone.ts'
import { linkTo } from './state/areas.ts'
import { isMac, useCommands } from './state/commands.ts'
import { loadTime } from './state/load-time.ts'
import { SERVER, navigate, route } from './state/navigation.ts'
import { isSignedIn, missingData, signInReason, signOut } from './state/session.ts'
import { chooseTheme, theme, themeChoice } from './state/theme.ts'
import { usePastedId } from './state/use-pasted-id.ts'
import { DemoNotice } from './widgets/demo-data.tsx'
import { AccountMenu } from './widgets/dialogs/account-menu.tsx'
import { SignInDialog } from './widgets/dialogs/sign-in-dialog.tsx'
import { Failure } from './widgets/failure.tsx'
import { copyText } from './widgets/controls/copy-text.ts'
import { Icon } from './widgets/controls/icon.tsx'
import { absoluteLink } from './state/absolute-link.ts'
import { RouteLink } from './widgets/route-link.tsx'

const ServicesScreen = lazy(async () => (await import('./screens/services/services-screen.tsx')).ServicesScreen)
const ExploreScreen = lazy(async () => (await import('./screens/explore/explore-screen.tsx')).ExploreScreen)
const BreakdownScreen = lazy(async () => (await import('./screens/breakdown/breakdown-screen.tsx')).BreakdownScreen)
const FunctionScreen = lazy(async () => (await import('./screens/function/function-screen.tsx')).FunctionScreen)
const CompareScreen = lazy(async () => (await import('./screens/compare/compare-screen.tsx')).CompareScreen)
const FileScreen = lazy(async () => (await import('./screens/file/file-screen.tsx')).FileScreen)
const ProfilesScreen = lazy(async () => (await import('./screens/profiles/profiles-screen.tsx')).ProfilesScreen)
const ProfileScreen = lazy(async () => (await import('./screens/profiles/profile-screen.tsx')).ProfileScreen)
const TracesScreen = lazy(async () => (await import('./screens/traces/traces-screen.tsx')).TracesScreen)
const TraceScreen = lazy(async () => (await import('./screens/traces/trace/trace-screen.tsx')).TraceScreen)
const SlowScreen = lazy(async () => (await import('./screens/traces/slow-screen.tsx')).SlowScreen)
const OperationScreen = lazy(
  async () => (await import('./screens/traces/operation/operation-screen.tsx')).OperationScreen,
)
const LogsScreen = lazy(async () => (await import('./screens/logs/logs-screen.tsx')).LogsScreen)
const AlertsScreen = lazy(async () => (await import('./screens/alerts/alerts-screen.tsx')).AlertsScreen)
const BrokerScreen = lazy(async () => (await import('./screens/broker/broker-screen.tsx')).BrokerScreen)
const CaptureScreen = lazy(async () => (await import('./screens/broker/captures/capture-screen.tsx')).CaptureScreen)
const MetricsScreen = lazy(async () => (await import('./screens/metrics/metrics-screen.tsx')).MetricsScreen)
const StatusScreen = lazy(async () => (await import('./screens/status/status-screen.tsx')).StatusScreen)
const TargetsScreen = lazy(async () => (await import('./screens/targets/targets-screen.tsx')).TargetsScreen)
const SymbolsScreen = lazy(async () => (await import('./screens/symbols/symbols-screen.tsx')).SymbolsScreen)
const Palette = lazy(async () => (await import('./widgets/dialogs/command-palette.tsx')).CommandPalette)
const Help = lazy(async () => (await import('./widgets/dialogs/help-dialog.tsx')).HelpDialog)

type Open = 'palette' | 'help' | undefined

export function App(): JSX.Element {
  const [open, setOpen] = useState<Open>(undefined)
  const [pasted, setPasted] = useState('')
  usePastedId(id => {
    setPasted(id)
    setOpen('palette')
  })
  // The browser reports closing in a task of its own. A key may have opened the other dialog before, which must stay open.
  const closing = (which: Open) => (): void => {
    setPasted('')
    setOpen(now => (now === which ? undefined : now))
  }
  useCommands(
    () => [
      ...(HAS_FILES_ALONE
        ? []
        : [
            {
              title: 'Open the documentation',
              group: 'General',
              keys: [],
              run: () => location.assign(`${SERVER}docs/`),
            },
          ]),
      { title: 'Open the command palette', group: 'General', keys: ['mod+k'], run: () => setOpen('palette') },
      { title: 'Show keyboard shortcuts', group: 'General', keys: ['?'], run: () => setOpen('help') },
      {
        title: 'Toggle light and dark theme',
        group: 'General',
        keys: ['shift+d'],
        run: () => chooseTheme(theme.peek() === 'dark' ? 'light' : 'dark'),
      },
      {
        title: 'Copy link with absolute times',
        group: 'General',
        keys: ['shift+l'],
        run: () => void copyText(absoluteLink()),
      },
      { title: 'Use the system theme', group: 'General', keys: [], run: () => chooseTheme('system') },
      ...SCREENS.map(({ title, key, to }) => ({
        title: `Go to ${title}`,
        group: 'Screens',
        keys: [key],
        run: () => navigate(linkTo(to)),
      })),
      ...(isSignedIn.value ? [{ title: 'Sign out', group: 'General', keys: [], run: () => void signOut() }] : []),
    ],
    [isSignedIn.value],
  )
  const shown = HAS_FILES_ALONE && route.value.screen !== 'file' ? FILES : route.value
  return (
    <div class="app">
      <a class="skip-link" href="#content" onClick={skipToContent}>
        Skip to content
      </a>
      <Head current={shown.screen} onOpen={setOpen} />
      {missingData.value !== undefined && <MissingData message={missingData.value} />}
      {!HAS_FILES_ALONE && <DemoNotice />}
      <main class="screen" id="content" tabIndex={-1}>
        <Screen key={shown.screen} route={shown} />
      </main>
      {shown.screen !== 'file' && shown.screen !== 'symbols' && <DropAnywhere />}
      {open === 'palette' && <Palette onClose={closing('palette')} withData={!HAS_FILES_ALONE} text={pasted} />}
      {open === 'help' && <Help onClose={closing('help')} />}
      {signInReason.value !== undefined && <SignInDialog reason={signInReason.value} />}
    </div>
  )
}

/** Moves the focus to the first graph of the screen, otherwise to the screen. The address stays the same. */
function skipToContent(event: Event): void {
  event.preventDefault()
  const main = document.querySelector<HTMLElement>('#content')
  const graph = main?.querySelector<HTMLElement>('canvas[tabindex="0"], [role=treegrid]')
  ;(graph ?? main)?.focus()
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
  const nav = useRef<HTMLElement>(null)
  // In a narrow window the links scroll, and the current one can be outside.
  useLayoutEffect(() => {
    const show = (): void => {
      const [row, link] = [nav.current, nav.current?.querySelector<HTMLElement>('[aria-current=page]')]
      if (row !== null && link !== null && link !== undefined) row.scrollLeft = link.offsetLeft - row.offsetLeft - 24
    }
    show()
    addEventListener('resize', show)
    return () => removeEventListener('resize', show)
  }, [current])
  return (
    <header class="head" data-rove>
      <RouteLink class="brand" to={HAS_FILES_ALONE ? FILES : linkTo(SERVICES)}>
        <svg width="18" height="18" viewBox="0 0 16 16" aria-hidden="true">
          <path fill="oklch(0.62 0.17 40)" d="M1 11h14v4H1z" />
          <path fill="oklch(0.71 0.15 50)" d="M3 6h7v4H3z" />
          <path fill="oklch(0.8 0.11 60)" d="M4 1h4v4H4z" />
        </svg>
        Hearth
      </RouteLink>
      <nav aria-label="Screens" ref={nav}>
        {SCREENS.map(({ title, to, screens }) => (
          <RouteLink key={title} to={linkTo(to)} current={screens.includes(current)}>
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
  const problems = timeProblems(shown, loadTime.value)
  if (problems.length > 0) return <InvalidTimes route={shown} problems={problems} />
  switch (shown.screen) {
    case 'services':
      return <ServicesScreen route={shown} />
    case 'explore':
      return <ExploreScreen route={shown} />
    case 'breakdown':
      return <BreakdownScreen route={shown} />
    case 'function':
      return <FunctionScreen route={shown} />
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
    case 'operation':
      return <OperationScreen route={shown} />
    case 'logs':
      return <LogsScreen route={shown} />
    case 'alerts':
      return <AlertsScreen route={shown} />
    case 'broker':
      return <BrokerScreen route={shown} />
    case 'capture':
      return <CaptureScreen route={shown} />
    case 'metric':
      return <MetricsScreen route={shown} />
    case 'targets':
      return <TargetsScreen />
    case 'symbols':
      return <SymbolsScreen route={shown} />
    case 'status':
      return <StatusScreen />
    case 'missing':
      return <MissingScreen path={shown.path} />
  }
}
