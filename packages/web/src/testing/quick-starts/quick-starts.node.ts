// `npm run quick-starts -- [NAME…]`: runs the commands of docs/quick-starts.md with small programs, as far as their tools are installed, waits
// until the UI shows the functions of the program, and takes the pictures of the page. Needs Chromium, and registries of packages.
import { execFileSync } from 'node:child_process'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Browser } from 'playwright-core'
import { chromiumPath, launch } from '../chromium.node.ts'
import { WorkPlace } from './work-place.node.ts'

const FOLDER = fileURLToPath(new URL('../../../../../docs/images', import.meta.url))
const SIZE = { width: 1280, height: 640 }
const SHOWN_MS = 90_000
/** Functions of every program, in the style of each language. The compiler may inline one. */
const SEARCH = /search_?products|edit_?distance/i

interface QuickStart {
  /** Commands that must succeed; otherwise the quick start is skipped. */
  readonly needs: readonly string[]
  readonly run: (place: WorkPlace, browser: Browser) => Promise<void>
}

const QUICK_STARTS: Readonly<Record<string, QuickStart>> = {
  node: {
    needs: [],
    run: async place => {
      place.program('app.js')
      await place.run(place.parts()[0])
    },
  },
  go: {
    needs: ['go version'],
    run: async place => {
      const [install, ...snippet] = place.parts()[0].split('\n')
      place.program('main.go', snippet.join('\n'))
      await place.run(`go mod init shop && ${install.replace('// ', '')} && go run main.go`)
    },
  },
  java: {
    needs: ['javac -version', 'mvn --version'],
    run: async place => {
      const [continuously, recording] = place.parts()
      place.program('Shop.java')
      await place.run(
        'javac Shop.java && jar --create --file app.jar --main-class Shop *.class && ' +
          'mvn -q dependency:copy -Dartifact=io.pyroscope:agent:LATEST -DoutputDirectory=. -Dmdep.stripVersion=true && mv agent.jar pyroscope.jar',
      )
      await place.run(recording)
      await place.run(continuously)
    },
  },
  python: {
    needs: ['python3 -m venv --help'],
    run: async place => {
      const [snippet, sampled] = place.parts()
      await place.run('python3 -m venv venv && venv/bin/pip --quiet install pyroscope-io py-spy')
      place.program('app.py', snippet)
      await place.run('venv/bin/python app.py')
      place.program('app.py', '', 'plain.py')
      await place.runBeside(['venv/bin/python', 'plain.py'], `PATH=$PWD/venv/bin:$PATH\n${sampled}`)
    },
  },
  ruby: {
    needs: ['ruby --version', 'ruby -rstackprof -e1'],
    run: async place => {
      const [program, commands] = place.parts()[0].split('\n# when the program has ended\n')
      place.program('app.rb', program)
      await place.run(`ruby app.rb\n${commands}`)
    },
  },
  dotnet: {
    needs: ['dotnet --info', 'mcs --version', 'perf --version'],
    run: async place => {
      const [start, ...commands] = place.parts()[0].split('\n')
      const [variable, ...program] = start.split(' ')
      place.program('Shop.cs')
      place.program('app.runtimeconfig.json')
      await place.run('mcs -optimize -out:app.dll Shop.cs')
      const old = variable.replace('DOTNET_', 'COMPlus_')
      await place.runBeside(['env', variable, old, ...program], commands.join('\n'))
    },
  },
  php: {
    needs: ['php --ri excimer'],
    run: async place => {
      const [program, push] = place.parts()[0].split(/\n(?=npx )/)
      place.program('app.php', program)
      await place.run(`php app.php\n${push}`)
    },
  },
  rust: {
    needs: ['cargo --version'],
    run: async place => {
      const [install, ...lines] = place.parts()[0].split('\n')
      const push = lines.pop()!.replace('// ', '')
      await place.run(`cargo init --name checkout . && ${install.replace('// ', '')}`)
      place.program('main.rs', lines.join('\n').replace('// … the work …', 'work();'), 'src/main.rs')
      await place.run(`CARGO_PROFILE_RELEASE_DEBUG=1 cargo run --release --quiet\n${push}`)
    },
  },
  native: {
    needs: ['cc --version', 'perf --version', 'pprof -help'],
    run: async place => {
      const [perf, gperftools] = place.parts()
      place.program('app.c')
      await place.run('cc -O1 -g -fno-omit-frame-pointer -o app app.c')
      await place.run(gperftools)
      await place.run(perf)
    },
  },
  browser: {
    needs: [],
    run: async (place, browser) => {
      const [script] = place.parts()[0].split('\n#')
      // A shorter interval than the default of 30 s.
      place.program('page.html', script.replace('<script ', '<script data-every="5" '))
      const page = readFileSync(join(place.folder, 'page.html'))
      const site = createServer((_, response) =>
        response.writeHead(200, { 'content-type': 'text/html', 'document-policy': 'js-profiling' }).end(page),
      )
      await new Promise<void>(resolve => void site.listen(0, '127.0.0.1', resolve))
      const tab = await browser.newPage()
      try {
        const sent = tab.waitForResponse(response => response.url().includes('/v1/push') && response.ok(), {
          timeout: SHOWN_MS,
        })
        await tab.goto(`http://localhost:${(site.address() as AddressInfo).port}/`)
        await sent
      } finally {
        await tab.close()
        site.close()
      }
    },
  },
}

/** The first command that fails. */
function missing({ needs }: QuickStart): string | undefined {
  return needs.find(command => {
    const [program, ...parameters] = command.split(' ')
    try {
      execFileSync(program, parameters, { stdio: 'ignore' })
      return false
    } catch {
      return true
    }
  })
}

/** Waits until the UI shows a function of the program. */
async function takePicture(name: string, { at }: WorkPlace, browser: Browser): Promise<void> {
  const page = await browser.newPage({ viewport: SIZE, colorScheme: 'light' })
  try {
    await page.goto(`${at.main}/explore?service=${name === 'browser' ? 'shop-web' : 'checkout'}&from=now-5m`)
    await page.locator('.top-table tbody').getByText(SEARCH).first().waitFor({ timeout: SHOWN_MS })
    await page.locator('canvas').first().waitFor()
    await page.waitForLoadState('networkidle')
    await page.screenshot({ path: join(FOLDER, `quick-start-${name}.png`) })
  } finally {
    await page.close()
  }
}

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}

const wanted = process.argv.slice(2)
const unknown = wanted.filter(name => !(name in QUICK_STARTS))
if (unknown.length > 0)
  throw new Error(`unknown: ${unknown.join(', ')}; known: ${Object.keys(QUICK_STARTS).join(', ')}`)
const chromium = chromiumPath()
if (chromium === undefined) throw new Error('no Chromium found; set CHROMIUM_PATH')
const browser = await launch(chromium)
try {
  for (const [name, start] of Object.entries(QUICK_STARTS)) {
    if (wanted.length > 0 && !wanted.includes(name)) continue
    const absent = missing(start)
    if (absent !== undefined) {
      say(`${name}: skipped, because \`${absent}\` fails`)
      continue
    }
    const place = await WorkPlace.open(name)
    try {
      await start.run(place, browser)
      await place.settled()
      await takePicture(name, place, browser)
      say(`${name}: the UI shows it`)
    } catch (error) {
      say(`${name}: failed: ${error instanceof Error ? error.stack : String(error)}`)
      process.exitCode = 1
    } finally {
      await place.close()
    }
  }
} finally {
  await browser.close()
}
