// A real browser for tests: the system browser, or the one of an npm package.
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { chromium, type Browser } from 'playwright-core'

const SYSTEM = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
]
const CACHE = join(import.meta.dirname, '../../node_modules/.cache/playhead-browser')
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-dev-shm-usage',
  '--disable-domain-reliability',
  '--no-pings',
  '--no-default-browser-check',
  '--font-render-hinting=none',
]

export async function launchBrowser(): Promise<Browser> {
  const own = process.env['PLAYHEAD_TEST_BROWSER'] ?? SYSTEM.find((path) => existsSync(path))
  if (own !== undefined) return await chromium.launch({ executablePath: own, args: FLAGS })
  const folder = await unpackOnce()
  const executablePath = join(folder, 'chromium')
  try {
    return await chromium.launch({ executablePath, args: FLAGS })
  } catch {
    // A bare system lacks libraries that the package contains, but these may be older than the system's own.
    return await chromium.launch({
      executablePath,
      args: FLAGS,
      env: { ...process.env, LD_LIBRARY_PATH: join(folder, 'al2023/lib'), FONTCONFIG_PATH: join(folder, 'fonts') },
    })
  }
}

// Test files run in parallel; the first to finish unpacks the browser for all others.
async function unpackOnce(): Promise<string> {
  const folder = join(CACHE, 'unpacked')
  if (existsSync(folder)) return folder
  await mkdir(CACHE, { recursive: true })
  const attempt = await mkdtemp(join(CACHE, 'unpacking-'))
  const { default: packed, inflate } = await import('@sparticuz/chromium')
  const before = process.env['TMPDIR']
  process.env['TMPDIR'] = attempt
  try {
    await packed.executablePath()
    await inflate(join(import.meta.dirname, '../../node_modules/@sparticuz/chromium/bin/al2023.tar.br'))
  } finally {
    if (before === undefined) delete process.env['TMPDIR']
    else process.env['TMPDIR'] = before
  }
  await rename(attempt, folder).catch(async (error: NodeJS.ErrnoException) => {
    await rm(attempt, { recursive: true, force: true })
    if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error
  })
  return folder
}
