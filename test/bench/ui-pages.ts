// Each page of a filled service at two speeds: largest contentful paint, layout shift, longest busy time, and loaded bytes.
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { CDPSession, Page } from 'playwright-core'
import { titlePage } from '../../ui/texts/en/title.ts'
import { shell } from '../../ui/texts/en/shell.ts'
import { startFilled } from '../ui/filled.ts'
import type { Figure } from './index.ts'

const SPEEDS = {
  fast: { cpu: 1, latencyMs: 0, kbits: 0 },
  // A phone of a few years ago on a slow mobile network.
  slow: { cpu: 4, latencyMs: 150, kbits: 1_600 },
  // A home line as seen from far away: 50 kB a second.
  far: { cpu: 1, latencyMs: 400, kbits: 400 },
} as const
/** The frame is the same on every page. */
const FAR = ['/', '/library']
const QUIET_MS = 700
const PATIENCE_MS = 40_000
const OBSERVE = `(() => {
  const seen = window.seen = { fcp: 0, lcp: 0, cls: 0, longest: 0 }
  const on = (type, each) => new PerformanceObserver((list) => list.getEntries().forEach(each)).observe({ type, buffered: true })
  on('paint', ({ name, startTime }) => { if (name === 'first-contentful-paint') seen.fcp = startTime })
  on('largest-contentful-paint', ({ startTime }) => { seen.lcp = startTime })
  on('layout-shift', ({ value, hadRecentInput }) => { if (!hadRecentInput) seen.cls += value })
  on('longtask', ({ duration }) => { seen.longest = Math.max(seen.longest, duration) })
})()`

interface Seen {
  readonly fcp: number
  readonly lcp: number
  readonly cls: number
  readonly longest: number
}

export async function benchPages(): Promise<readonly Figure[]> {
  // An older build lacks pages that the source has.
  await promisify(execFile)(process.execPath, [join(import.meta.dirname, '../../ui/build.ts')])
  await using filled = await startFilled()
  const { ui, service, paths } = filled
  // A page polls until the index of the library is built.
  await service.json('/api/library?fresh=true')
  const figures: Figure[] = []
  for (const [speed, { cpu, latencyMs, kbits }] of Object.entries(SPEEDS)) {
    for (const path of speed === 'far' ? FAR : [...paths, '/events?view=charts', '/docs', '/redoc']) {
      // A separate context, so that the cache is empty.
      const page = await ui.open('/login', { signedIn: true })
      await page.goto('about:blank')
      const session = await page.context().newCDPSession(page)
      await session.send('Network.enable')
      if (kbits > 0) {
        await session.send('Network.emulateNetworkConditions', {
          offline: false,
          latency: latencyMs,
          downloadThroughput: (kbits * 1_000) / 8,
          uploadThroughput: (kbits * 1_000) / 8,
        })
        await session.send('Emulation.setCPUThrottlingRate', { rate: cpu })
      }
      await session.send('Network.clearBrowserCache')
      const traffic = countTraffic(session)
      await page.addInitScript(OBSERVE)
      await page.goto(service.url + path)
      await untilQuiet(page, traffic)
      await refuseNotFound(page, path)
      const { fcp, lcp, cls, longest } = (await page.evaluate('window.seen')) as Seen
      const name = `${path.replace(/\/(?:[^/]*[\d%_-]){6}[^/]*$/, '/…')}, ${speed}`
      figures.push(
        { what: `${name}: first paint`, value: fcp, unit: 'ms', ...(speed === 'far' ? { aim: '<= 2500' } : {}) },
        { what: `${name}: largest paint`, value: lcp, unit: 'ms' },
        { what: `${name}: layout shift`, value: cls, unit: '', aim: '<= 0.001' },
        { what: `${name}: longest task`, value: longest, unit: 'ms', aim: cpu === 1 ? '<= 100' : '<= 250' },
        {
          what: `${name}: loaded without pictures`,
          value: traffic.bytes / 1_000,
          unit: 'kB',
          ...(path === '/' ? { aim: '<= 230' } : {}),
        },
        {
          what: `${name}: requests without pictures`,
          value: traffic.requests,
          unit: '',
          ...(path === '/' ? { aim: '<= 15' } : {}),
        },
        { what: `${name}: pictures`, value: traffic.pictures, unit: '' },
      )
      await page.context().close()
    }
  }
  return figures
}

interface Traffic {
  bytes: number
  requests: number
  pictures: number
  lastAtMs: number
}

function countTraffic(session: CDPSession): Traffic {
  const traffic: Traffic = { bytes: 0, requests: 0, pictures: 0, lastAtMs: performance.now() }
  const pictures = new Set<string>()
  session.on('Network.requestWillBeSent', ({ request, requestId }) => {
    if (request.url.startsWith('data:')) return
    if (request.url.includes('/api/pictures/')) {
      pictures.add(requestId)
      traffic.pictures += 1
    } else traffic.requests += 1
    traffic.lastAtMs = performance.now()
  })
  session.on('Network.loadingFinished', ({ encodedDataLength, requestId }) => {
    if (!pictures.has(requestId)) traffic.bytes += encodedDataLength
    traffic.lastAtMs = performance.now()
  })
  return traffic
}

async function refuseNotFound(page: Page, path: string): Promise<void> {
  const heading = await page.getByRole('heading', { level: 1 }).first().textContent()
  if (heading === shell.notFound.title || heading === titlePage.gone)
    throw new Error(`${path} shows "${heading}" instead of its page.`)
}

/** Streams stay open, so the page counts as loaded after a period without traffic. */
async function untilQuiet(page: Page, traffic: Traffic): Promise<void> {
  const until = performance.now() + PATIENCE_MS
  await page.getByRole('heading').first().waitFor()
  while (performance.now() < until && performance.now() - traffic.lastAtMs < QUIET_MS) await page.waitForTimeout(100)
}
