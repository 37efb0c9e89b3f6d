// Starts the application.
import { render } from 'preact'
import { App } from './app.tsx'
import { HAS_FILES_ALONE } from './state/files-alone.ts'
import { listenToKeys } from './state/commands.ts'
import { listenToArrows } from './state/roving.ts'
import { startLive } from './state/live.ts'
import { alignClock } from './state/load-time.ts'
import { SERVER } from './state/navigation.ts'
import { applyTheme } from './state/theme.ts'
import './styles/fonts.css'
import './styles/tokens.css'
import './styles/base.css'
import './styles/layout.css'
import './styles/touch.css'

applyTheme()
listenToKeys()
listenToArrows(document.body)
if (!HAS_FILES_ALONE) startLive()
if (!HAS_FILES_ALONE) void alignClock(SERVER)
render(<App />, document.getElementById('app')!)
