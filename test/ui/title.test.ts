// slow: a browser, step by step
// The page of a title, with two services: what a person does there, and with how many clicks.
import type { Locator, Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { atEndOfFile } from '../at-end-of-file.ts'
import { expectOk, runToEnd, signInToJellyfin, signInToTrakt, type Client } from '../demo/sign-in.ts'
import { startJellyfin } from '../upstreams/jellyfin.ts'
import { startTrakt } from '../upstreams/trakt.ts'
import { episodesOfTracker, watchOnTracker } from './episodes-of-tracker.ts'
import { overflow, seriousViolations, settled, startUi } from './harness.ts'
import { isFit } from './looks.ts'

const DAY_MS = 86_400_000
const PHONE = { width: 390, height: 844 }
const ui = await startUi()
atEndOfFile(() => ui[Symbol.asyncDispose]())
const client: Client = ui.service
const jellyfin = await startJellyfin({ movies: 5, shows: 2 })
const trakt = await startTrakt({ movies: 5, shows: 2, plan: 'vip', rateLimits: false })
atEndOfFile(() => jellyfin.close())
atEndOfFile(() => trakt.close())
const { user } = trakt
const yesterday = Date.now() - DAY_MS
const show = trakt.catalogue.shows[0]!
user.watch(trakt.movie(0), yesterday)
for (const episode of [1, 2]) user.watch(trakt.episode(0, 1, episode), yesterday)
await signInToTrakt(client, trakt)
await signInToJellyfin(client, jellyfin)
await expectOk(client, '/api/pairs', {
  source: 'TRACKA',
  target: 'MEDIAB',
  mode: 'one_way',
  enabled: true,
  features: { history: { enabled: true, add: true, remove: false } },
})
await runToEnd(client)

const found = (await client.json('/api/library?fresh=true&type=show')).body.items
const key = found.find((one: { title: string }) => one.title === show.title).key as string
const address = `/library/${encodeURIComponent(key)}`
const stopped = async () => (await client.json('/api/stopped-titles')).body.items

/** Clicks of one story. */
function counting() {
  let clicks = 0
  return {
    click: async (what: Locator) => {
      clicks += 1
      await what.click()
    },
    get clicks() {
      return clicks
    },
  }
}

async function stopsHere(t: Test, page: Page, story: ReturnType<typeof counting>) {
  await story.click(page.getByRole('button', { name: 'Stop syncing…' }))
  await story.click(page.getByRole('dialog').getByRole('button', { name: 'Stop syncing' }))
  await page.getByText(/^You stopped syncing this on /).waitFor()
  t.ok(story.clicks <= 3, `${story.clicks} clicks`)
  t.match(await stopped(), [{ title: show.title, kind: 'show', accounts: null, features: null }])
}

t.test('a show is stopped with three clicks from the library, the search and the home page', async (t) => {
  for (const [name, path, choose] of [
    [
      'library',
      '/library',
      (page: Page) =>
        page.getByRole('list', { name: 'Titles in the library' }).getByRole('link', { name: show.title }).first(),
    ],
    ['home', '/', (page: Page) => page.locator('#content').getByRole('link', { name: show.title }).first()],
    [
      'search',
      '/',
      (page: Page) =>
        page.getByRole('option').or(page.locator('.mantine-Spotlight-action')).filter({ hasText: show.title }).first(),
    ],
  ] as const) {
    const page = await ui.open(path)
    await settled(page)
    const story = counting()
    if (name === 'search') {
      await page.keyboard.press('Control+k')
      await page.getByRole('dialog').locator('input').fill(show.title)
    }
    await story.click(choose(page))
    await page.waitForURL('**/library/show*')
    await stopsHere(t, page, story)
    if (name === 'library') {
      t.same(await seriousViolations(page), [])
      await page.setViewportSize(PHONE)
      await isFit(t, page, 'the stopped title')
      t.equal(await page.getByRole('button', { name: 'Sync now' }).count(), 0, 'a sync would do nothing')
    }
    const again = counting()
    await again.click(page.getByRole('button', { name: 'Sync again' }))
    await page.getByRole('button', { name: 'Stop syncing…' }).waitFor()
    t.equal(again.clicks, 1)
    t.same(await stopped(), [])
    t.same([page.recorded.errors, page.recorded.failed], [[], []])
    await page.context().close()
  }
})

t.test('a stop reaches later episodes, and the next sync carries them once it ends', async (t) => {
  const page = await ui.open(address)
  await page.getByRole('button', { name: 'Stop syncing…' }).focus()
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog')
  await dialog.getByText('Everywhere').waitFor()
  t.same(await seriousViolations(page), [])
  await dialog.getByRole('button', { name: 'Stop syncing' }).press('Enter')
  await page.getByText(/^You stopped syncing this on /).waitFor()
  user.watch(trakt.episode(0, 1, 3), yesterday)
  await runToEnd(client)
  const played = async () => {
    const { matrix } = (await client.json(`/api/library/${encodeURIComponent(key)}?fresh=true`)).body
    const server = matrix.find((one: { provider: string }) => one.provider === 'MEDIAB')
    return server.features.find((one: { feature: string }) => one.feature === 'history').count as number
  }
  t.equal(await played(), 2)
  await page.getByRole('button', { name: 'Sync again' }).click()
  await page.getByRole('button', { name: 'Stop syncing…' }).waitFor()
  await runToEnd(client)
  t.equal(await played(), 3)
  t.same([page.recorded.errors, page.recorded.failed], [[], []])
})

t.test('a title is stopped at one account, and the place is changed', async (t) => {
  const page = await ui.open(address, { viewport: PHONE })
  await page.getByRole('button', { name: 'Stop syncing…' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('Only on some accounts').click()
  t.ok(await dialog.getByRole('button', { name: 'Stop syncing' }).isDisabled(), 'none is chosen')
  await dialog.getByRole('checkbox', { name: 'Jellyfin' }).check()
  t.same([await overflow(page), await seriousViolations(page)], [0, []])
  await dialog.getByRole('button', { name: 'Stop syncing' }).click()
  await page.getByText(/^You stopped syncing this with Jellyfin on /).waitFor()
  await page.getByRole('button', { name: 'Change…' }).click()
  t.ok(await dialog.getByRole('checkbox', { name: 'Jellyfin' }).isChecked())
  await dialog.getByText('Everywhere').click()
  await dialog.getByRole('button', { name: 'Stop syncing' }).click()
  await page.getByText(/^You stopped syncing this on /).waitFor()
  t.equal((await stopped()).length, 1)
  await page.goto(`${ui.service.url}/editor`)
  const list = page.getByRole('region', { name: 'Titles that are not synced' })
  await list.getByRole('link', { name: show.title }).waitFor()
  t.same([await overflow(page), await seriousViolations(page)], [0, []])
  await list.getByRole('button', { name: /^Sync again: / }).click()
  await list.waitFor({ state: 'detached' })
  t.same(await stopped(), [])
  t.same([page.recorded.errors, page.recorded.failed], [[], []])
})

t.test('an episode is matched to another one of its show', async (t) => {
  await watchOnTracker(client, key, 4)
  const ofTracker = () => episodesOfTracker(client, key)
  t.same(await ofTracker(), [4])
  const page = await ui.open(address)
  const part = page.getByRole('region', { name: 'Episodes', exact: true })
  await part.getByText('Season 1', { exact: true }).click()
  await part.getByRole('listitem').filter({ hasText: 'S01E02' }).getByText('Watched: Jellyfin and Trakt').waitFor()
  t.equal(await part.locator('.mantine-Progress-root').count(), 0, 'no bar without the number of aired episodes')
  await part.getByRole('button', { name: 'Fix match of S01E04' }).click()
  const dialog = page.getByRole('dialog', { name: 'Fix match S01E04' })
  await dialog.getByRole('radio').click()
  await dialog.getByRole('textbox', { name: 'Episode' }).fill('5')
  await page.setViewportSize(PHONE)
  t.same([await overflow(page), await seriousViolations(page)], [0, []])
  await dialog.getByRole('button', { name: 'Check' }).click()
  await dialog.getByText('This is moved on Playhead tracker:').waitFor()
  t.same(await ofTracker(), [4], 'nothing is written before it is agreed')
  await dialog.getByRole('button', { name: 'Move it' }).click()
  await dialog.getByRole('button', { name: 'Undo' }).waitFor()
  t.same(await ofTracker(), [5])
  await dialog.getByRole('button', { name: 'Undo' }).click()
  await page.getByText('Undone', { exact: true }).waitFor()
  t.same(await ofTracker(), [4])
  t.same([page.recorded.errors, page.recorded.failed], [[], []])
})

t.test('accounts of other people, and those that cannot hold the title, are not ticked', async (t) => {
  const { id: instance } = await expectOk(client, '/api/provider-instances/MEDIAB/next', { label: 'Kim' })
  await signInToJellyfin(client, jellyfin, { user: 'kim', instance })
  const page = await ui.open(address)
  await page.getByRole('button', { name: 'Mark watched' }).click()
  const dialog = page.getByRole('dialog', { name: 'Mark as watched' })
  await dialog.getByRole('checkbox', { name: 'Trakt', exact: true }).waitFor()
  t.ok(await dialog.getByRole('checkbox', { name: 'Trakt', exact: true }).isChecked())
  t.ok(await dialog.getByRole('checkbox', { name: 'Jellyfin', exact: true }).isChecked())
  await dialog.getByText('Other people').waitFor()
  const others = dialog.getByRole('checkbox', { name: /Kim/ })
  t.equal(await others.count(), 1)
  t.notOk(await others.isChecked())
  t.equal(await dialog.getByRole('checkbox', { name: /AniList/ }).count(), 0)
  t.same(await seriousViolations(page), [])
})
