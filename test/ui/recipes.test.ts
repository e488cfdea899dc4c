// slow: a browser, step by step
// Recipes: from nothing connected to two synced servers, and a move between trackers with its clicks counted, its undo, the
// keyboard, a phone, and German.
import type { Locator } from 'playwright-core'
import t from 'tap'
import { atEndOfFile } from '../at-end-of-file.ts'
import { expectOk, runToEnd, signInToJellyfin, signInToTrakt } from '../demo/sign-in.ts'
import { until } from '../harness.ts'
import { saveSettings, serviceClient } from '../stands/client.ts'
import { signInBy } from '../stands/flows.ts'
import { simklPin, simklSettings } from '../stands/simkl.ts'
import { startJellyfin } from '../upstreams/jellyfin.ts'
import { startSimkl } from '../upstreams/simkl.ts'
import { startTrakt } from '../upstreams/trakt.ts'
import { launchBrowser } from './browser.ts'
import { playedBySam, startFirstRun } from './first-run.ts'
import { settled, startUi } from './harness.ts'
import { tabTo } from './keyboard.ts'
import { isFit, isFitNow } from './looks.ts'

const SIZE = { movies: 40, shows: 1 }
const PHONE = { viewport: { width: 390, height: 800 } }
/** Clicks from Home to a move that runs. */
const MOST_CLICKS = 6

const browser = await launchBrowser()
atEndOfFile(() => browser.close())

t.test('a newcomer is led through the sign-ins of a recipe to two synced servers', async (t) => {
  const { jellyfin, emby } = await startFirstRun(t)
  await using ui = await startUi({ browser })
  const page = await ui.open('/start')
  const popular = page.getByRole('region', { name: 'Popular choices' })
  await popular.getByRole('link', { name: 'Plex + Trakt' }).waitFor()
  await isFit(t, page, 'popular choices')
  await popular.getByRole('link', { name: 'Jellyfin + Emby' }).click()

  await page.getByRole('heading', { name: 'Jellyfin + Emby', level: 1 }).waitFor()
  await page.getByText('Sign in to Jellyfin, Emby to see the plan.').waitFor()
  await isFit(t, page, 'a recipe without accounts')
  for (const [name, server] of [
    ['Jellyfin', jellyfin],
    ['Emby', emby],
  ] as const) {
    await page.getByRole('button', { name: `Sign in to ${name}` }).click()
    const dialog = page.getByRole('dialog', { name: `Sign in to ${name}` })
    await dialog.getByLabel('Server').fill(server.url)
    await dialog.getByLabel('Username').fill('sam')
    await dialog.getByLabel(/^Password/).fill('secret')
    await dialog.getByRole('button', { name: 'Sign in', exact: true }).click()
    await dialog.waitFor({ state: 'detached' })
  }
  const plan = page.getByRole('region', { name: 'Plan' })
  await plan.getByText(/^Sync Jellyfin and Emby both ways: .*History/).waitFor()
  await plan.getByText('Sync every 6 hours').waitFor()
  t.same((await ui.service.json('/api/pairs')).body, [], 'a plan changes nothing')
  await plan.getByRole('button', { name: 'Set up' }).click()

  await page.getByRole('button', { name: /^Run \d+ changes/ }).waitFor()
  t.equal(playedBySam(emby), 0, 'nothing is written before the plan of the first sync was seen')
  await page.getByRole('button', { name: /^Run \d+ changes/ }).click()
  await page.getByText('Your services are synced').waitFor()
  t.equal(playedBySam(emby), playedBySam(jellyfin))
  t.match((await ui.service.json('/api/scheduling')).body, { enabled: true, every_n_hours: 6 })
  t.same([page.recorded.errors, page.recorded.failed], [[], []])
})

t.test('a move from Trakt to SIMKL', async (t) => {
  const [jellyfin, trakt, simkl] = await Promise.all([
    startJellyfin({ ...SIZE, activity: 0.5 }),
    startTrakt({ ...SIZE, rateLimits: false }),
    startSimkl({ ...SIZE, limits: false }),
  ])
  t.teardown(() => Promise.all([jellyfin, trakt, simkl].map((one) => one.close())))
  await using ui = await startUi({ browser })
  const { service } = ui
  await signInToJellyfin(service, jellyfin)
  await signInToTrakt(service, trakt)
  await saveSettings(service, 'trackB', simklSettings(simkl))
  await signInBy(serviceClient(service, 'trackB'), simklPin(simkl), { name: 'ada' })
  const accounts = { server: { provider: 'MEDIAB' }, tracker: { provider: 'TRACKA' } }
  const { plan_id } = await expectOk(service, '/api/recipes/plan', { recipe: 'server-and-tracker', accounts })
  await expectOk(service, '/api/recipes/apply', { plan_id })
  await runToEnd(service, {})
  const pairs = async () =>
    (await service.json('/api/pairs')).body.map(({ name, enabled }: any) => `${name}: ${enabled ? 'on' : 'off'}`)
  const before = await pairs()
  const page = await ui.open('/')
  await settled(page)

  let clicks = 0
  const click = async (what: Locator) => {
    await what.click()
    clicks += 1
  }
  await click(page.getByRole('navigation').getByRole('link', { name: 'Sync', exact: true }).first())
  await click(page.getByRole('link', { name: 'Set up from a recipe' }))
  await settled(page)
  await click(page.getByRole('link', { name: 'Move from Trakt to SIMKL' }))
  const plan = page.getByRole('region', { name: 'Plan' })
  await plan.getByText(/^Copy everything from Trakt to SIMKL first/).waitFor()
  for (const line of [
    /^Sync Jellyfin and SIMKL both ways/,
    'Stop the pair Jellyfin and Trakt',
    'Scrobble Jellyfin to SIMKL instead',
  ])
    await plan.getByText(line).waitFor()
  await plan.getByText(/do not allow syncing Trakt with another tracker/).waitFor()
  await isFitNow(t, page, 'the plan of a move')
  t.same(await pairs(), before)
  await click(plan.getByRole('button', { name: 'Move' }))
  await click(page.getByRole('button', { name: /^Run \d+ changes/ }))
  await page.getByRole('button', { name: 'Finish' }).waitFor()
  t.ok(clicks <= MOST_CLICKS, `${clicks} clicks`)
  t.ok(simkl.user.plays().length > 0)
  await until('the copy is stopped', async () => (await pairs())[0] === 'Trakt → SIMKL: off')
  t.same(await pairs(), ['Trakt → SIMKL: off', 'Jellyfin and Trakt: off', 'Jellyfin and SIMKL: on'])

  const [taken, copied] = [trakt.user.plays().length, simkl.user.plays().length]
  const phone = await ui.open('/recipes', PHONE)
  const row = phone.getByRole('listitem', { name: 'Move from Trakt to SIMKL' })
  await row.getByText('Set up', { exact: false }).first().waitFor()
  await isFit(t, phone, 'recipes')
  await phone.setViewportSize(PHONE.viewport)
  const undo = row.getByRole('button', { name: 'Undo' })
  await tabTo(phone, undo)
  await phone.keyboard.press('Enter')
  const question = phone.getByRole('dialog', { name: 'Undo “Move from Trakt to SIMKL”?' })
  await tabTo(phone, question.getByRole('button', { name: 'Undo', exact: true }))
  await phone.keyboard.press('Enter')
  await phone.getByText('Undone.', { exact: true }).waitFor()
  t.same(await pairs(), before)
  t.same([trakt.user.plays().length, simkl.user.plays().length], [taken, copied], 'nothing is removed anywhere')

  // With the keyboard, on a phone, in German.
  const german = await ui.open('/recipes', { ...PHONE, locale: 'de-DE' })
  await tabTo(german, german.getByRole('link', { name: 'Von Trakt zu SIMKL umziehen' }))
  await german.keyboard.press('Enter')
  await german.getByText(/^Zuerst alles von Trakt nach SIMKL kopieren/).waitFor()
  const go = german.getByRole('button', { name: 'Umziehen' })
  await tabTo(german, go)
  await german.keyboard.press('Enter')
  await german
    .getByRole('heading', { name: 'Den Plan prüfen' })
    .or(german.getByRole('heading', { level: 2 }))
    .first()
    .waitFor()
  await until('it is set up', async () => (await pairs()).includes('Jellyfin and SIMKL: on'))
  t.same(
    [page, phone, german].map(({ recorded }) => [recorded.errors, recorded.failed]),
    [page, phone, german].map(() => [[], []]),
  )
})
