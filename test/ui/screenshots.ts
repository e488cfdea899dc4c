// `npm run screenshots`: starts the service with the simulated servers of the demo, runs some pairs, and takes the
// screenshots for the README. The target folder is docs/images by default.
import { mkdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import {
  expectOk,
  runToEnd,
  signInByQuickConnect,
  signInToEmby,
  signInToPlex,
  signInToTrakt,
  untilTrue,
} from '../demo/sign-in.ts'
import { startDemoWorld } from '../demo/world.ts'
import { settled, startUi } from './harness.ts'
import { startPosters } from './posters.ts'

const FOLDER = process.argv[2] ?? join(import.meta.dirname, '../../docs/images')
const WIDE = { width: 1280, height: 800 }
const PHONE = { width: 390, height: 780 }
const PATIENCE_MS = 20_000
const POSTERS = 8
const POSTERS_OF_PHONE = 3
const IS_COMPLETE =
  '[...document.images].every((image) => image.naturalWidth > 0 || image.getBoundingClientRect().top > innerHeight) && document.querySelector(".mantine-Skeleton-root, .mantine-Loader-root") === null'
const ON = { enabled: true, add: true, remove: true }

await mkdir(FOLDER, { recursive: true })
await using world = await startDemoWorld()
await using posters = await startPosters()
await using ui = await startUi()
const { service } = ui

await signInByQuickConnect(service, world.jellyfin)
await signInToEmby(service, world.emby)
await signInToPlex(service, world.plex)
await signInToTrakt(service, world.trakt)
await expectOk(service, '/api/config', { metaA: posters.settings })
const pair = await addPair('Living room and attic', 'MEDIAB', 'MEDIAC', 'two_way', {
  history: ON,
  watchlist: ON,
  progress: ON,
})
const planned = await addPair('Plex and Trakt', 'MEDIAA', 'TRACKA', 'two_way', {
  history: ON,
  watchlist: ON,
  ratings: ON,
})
await addPair('Jellyfin to Trakt', 'MEDIAB', 'TRACKA', 'one_way', { history: ON })
await expectOk(service, '/api/scheduling', { enabled: true, mode: 'every_n_hours', every_n_hours: 6 })

await runToEnd(service, { pair_id: pair })
await runToEnd(service, { pair_id: planned, dry_run: true })
const { plans } = (await service.json(`/api/plans?pair_id=${planned}&limit=20`)).body
await take(
  'plan',
  `/plans/${plans.find(({ feature }: { feature: string }) => feature === 'watchlist')?.plan_id ?? plans[0].plan_id}`,
)

const running = await open('/runs')
// Slow enough to be visible.
world.trakt.faults.add({ kind: 'slow', delayMs: 1_500 })
const { run_id: runId } = await expectOk(service, '/api/run', {})
await untilTrue(
  'the run applies',
  async () => ((await service.json('/api/run/summary')).body._phase?.snapshot?.done ?? 0) > 0,
)
await running.goto(`${service.url}/runs/${runId}`)
await running.getByRole('region', { name: 'Running now' }).getByRole('progressbar').first().waitFor()
await shoot(running, 'run')
world.trakt.faults.clear()
await untilTrue('the run', async () => (await service.json('/api/run/summary')).body.running === false, 300_000)

await expectOk(service, '/api/scrobbler/settings', { sources: { watcher: true }, watch_autostart: true })
await expectOk(service, '/api/scrobbler/routes', { provider: 'MEDIAB', sink: 'TRACKA' })
await expectOk(service, '/api/scrobbler/webhooks/profile', { provider: 'MEDIAA', sinks: ['TRACKA'] })
await expectOk(service, '/api/watch/start')
await untilTrue('the watcher', async () =>
  (await service.json('/api/watch/status')).body.groups.every(({ connected }: any) => connected),
)

for (const [name, path] of [
  ['home', '/'],
  ['connections', '/connections'],
  ['pairs', '/pairs'],
  ['runs', '/runs'],
  ['scrobbling', '/scrobbling'],
  ['schedule', '/schedule'],
  ['watchlist', '/watchlist'],
  ['events', '/events'],
  ['plugins', '/plugins'],
  ['settings', '/settings/about'],
] as const)
  await take(name, path)
const {
  items: [watched],
} = (await service.json('/api/library?sort=last_watched&limit=1')).body
await take('title', `/library/${encodeURIComponent(watched.key)}`, { colorScheme: 'dark' })
await take('statistics', '/statistics', { colorScheme: 'dark' })
await take('home-dark', '/', { colorScheme: 'dark' })
await take('watchlist-dark', '/watchlist', { colorScheme: 'dark' })
await take('phone', '/', { viewport: PHONE })
await take('phone-watchlist', '/watchlist', { viewport: PHONE, colorScheme: 'dark' })

async function addPair(name: string, source: string, target: string, mode: string, features: object): Promise<string> {
  return (await expectOk(service, '/api/pairs', { name, source, target, mode, enabled: true, features })).id
}

async function open(path: string, context: Parameters<typeof ui.open>[1] = {}): Promise<Page> {
  return await ui.open(path, { viewport: WIDE, colorScheme: 'light', ...context })
}

async function take(name: string, path: string, context: Parameters<typeof ui.open>[1] = {}): Promise<void> {
  await shoot(await open(path, context), name)
}

async function shoot(page: Page, name: string): Promise<void> {
  await settled(page)
  if (page.url().endsWith('/watchlist'))
    await page
      .locator('#content img')
      .nth((page.viewportSize()?.width ?? 0) < 600 ? POSTERS_OF_PHONE : POSTERS)
      .waitFor({ state: 'attached' })
  // A screenshot is not a test: do not wait forever for content that is still loading.
  await untilTrue('the page is complete', () => page.evaluate(IS_COMPLETE), PATIENCE_MS).catch(() => undefined)
  const path = join(FOLDER, `${name}.png`)
  await page.screenshot({ path })
  await page.context().close()
  console.log(`${name}  ${Math.round((await stat(path)).size / 1000)} kB`)
}
