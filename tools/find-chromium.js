// Finds Chromium for the browser tests: the one named by CHROMIUM_PATH, an installed one, or, on a CI machine with the
// permission, the package of the distribution.
import { spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
/** For headless runs, also as root and without a network. */
export const chromiumFlags = [
    '--no-sandbox', // containers run as root, where Chromium's sandbox refuses to start
    '--disable-gpu',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
    '--no-first-run',
];
const usualPaths = [
    '/usr/bin/chromium',
    '/usr/bin/chromium-browser',
    '/usr/bin/google-chrome-stable',
    '/usr/bin/google-chrome',
    '/snap/bin/chromium',
    '/Applications/Chromium.app/Contents/MacOS/Chromium',
    '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];
const minute = 60_000;
export function findChromium(machine) {
    const named = machine.env['CHROMIUM_PATH'] ?? '';
    if (named !== '') {
        if (machine.isExecutable(named))
            return { kind: 'found', path: named };
        return { kind: 'missing', why: `CHROMIUM_PATH names ${named}, which cannot be run` };
    }
    const installed = firstUsualPath(machine);
    if (installed !== undefined)
        return { kind: 'found', path: installed };
    if (!mayInstall(machine))
        return { kind: 'missing', why: 'no Chromium was found; set CHROMIUM_PATH' };
    return install(machine);
}
function firstUsualPath(machine) {
    return usualPaths.find(path => machine.isExecutable(path));
}
function mayInstall(machine) {
    const ci = machine.env['CI'] ?? '';
    return ci !== '' && ci !== 'false' && ci !== '0' && machine.isRoot && machine.isExecutable('/usr/bin/apt-get');
}
function install(machine) {
    // The installation may succeed even if the update of the package lists fails.
    const aptOptions = [
        '-qq',
        '-o',
        'Acquire::Retries=1',
        '-o',
        'Acquire::http::Timeout=20',
        '-o',
        'DPkg::Lock::Timeout=60',
    ];
    machine.run('apt-get', [...aptOptions, 'update'], 2 * minute);
    machine.run('apt-get', [...aptOptions, 'install', '-y', '--no-install-recommends', 'chromium'], 6 * minute);
    const path = firstUsualPath(machine);
    if (path !== undefined)
        return { kind: 'found', path };
    return { kind: 'missing', why: 'no Chromium was found, and apt-get could not install one' };
}
export const thisMachine = {
    env: process.env,
    isRoot: process.getuid?.() === 0,
    isExecutable(path) {
        try {
            accessSync(path, constants.X_OK);
            return true;
        }
        catch {
            return false;
        }
    },
    run(command, args, timeout) {
        // Prints nothing unless it fails: apt-get prints hundreds of lines.
        const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
        const result = spawnSync(command, args, { timeout, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
        if (result.status !== 0)
            console.error(`${command} ${args.join(' ')}: ${result.error?.message ?? result.stderr.trim()}`);
        return result.status === 0;
    },
};
//# sourceMappingURL=find-chromium.js.map