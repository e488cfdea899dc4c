// slow: a browser, step by step
// Pairs in the browser, between two simulated servers: create, preview, run the plan, approve removals, reorder by
// keyboard and mouse, delete.
import type { Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { atEndOfFile } from '../at-end-of-file.ts'
import { expectOk, runToEnd, signInToEmby, signInToJellyfin, untilTrue } from '../demo/sign-in.ts'
import { traktSettings, traktTokens } from '../stands/trakt.ts'
import { startEmby } from '../upstreams/emby.ts'
import { startJellyfin } from '../upstreams/jellyfin.ts'
import { startTrakt } from '../upstreams/trakt.ts'
import { seriousViolations, settled, startUi } from './harness.ts'
import { fitsEveryWidth } from './looks.ts'

const FAVOURITES = 40
const GONE = 30

const jellyfin = await startJellyfin({ movies: 120, shows: 2, activity: 0 })
atEndOfFile(() => jellyfin.close())
const emby = await startEmby({ movies: 120, shows: 2 })
atEndOfFile(() => emby.close())
const ui = await startUi()
atEndOfFile(() => ui[Symbol.asyncDispose]())
const { service } = ui

const tmdb = ({ providerIds }: { providerIds: Readonly<Record<string, string>> }) => providerIds['Tmdb'] ?? ''
const isAlone = (server: typeof jellyfin | typeof emby, id: string) =>
  id !== '' && server.items().filter((item) => tmdb(item) === id).length === 1
// Drop duplicates in a library, because the test cannot tell them apart.
const films = jellyfin
  .items('Movie')
  .filter((film) => isAlone(jellyfin, tmdb(film)) && isAlone(emby, tmdb(film)))
  .slice(0, FAVOURITES)
for (const { id } of films) jellyfin.actions.setFavourite('sam', id, true)
const kept = () => emby.items('Movie').filter(({ id }) => emby.actions.userData('sam', id)?.favourite === true).length
const pairs = async () => (await service.json('/api/pairs')).body as { id: string; name: string }[]
const clean = (t: Test, page: Awaited<ReturnType<typeof ui.open>>) =>
  t.same([page.recorded.errors, page.recorded.failed], [[], []])

t.test('without two connections the page shows the first step', async (t) => {
  const page = await ui.open('/pairs')
  await page.getByRole('heading', { name: 'No pair yet' }).waitFor()
  const next = page.locator('#content').getByRole('link', { name: 'Connect a service' })
  t.equal(await next.getAttribute('href'), '/connections')
  await page.goto(`${service.url}/pairs/new`)
  await page.getByRole('heading', { name: 'Connect two services first' }).waitFor()
  t.equal(await next.getAttribute('href'), '/connections')
  clean(t, page)
})

t.test('two services are connected', async (t) => {
  await signInToJellyfin(service, jellyfin)
  await signInToEmby(service, emby)
  const { body } = await service.json('/api/sync/providers')
  t.match(
    body.filter(({ name }: { name: string }) => name === 'MEDIAB' || name === 'MEDIAC'),
    [{ configured: true }, { configured: true }],
  )
})

t.test('a pair is created, its plan is reviewed, and exactly the plan is run', async (t) => {
  const page = await ui.open('/pairs/new')
  await page.getByRole('combobox', { name: 'First service' }).click()
  await page.getByRole('option', { name: 'Jellyfin' }).click()
  await page.getByRole('combobox', { name: 'Second service' }).click()
  await page.getByRole('option', { name: 'Emby' }).click()
  await page.getByText('Not possible: neither service supports this.').first().waitFor()
  t.equal(await page.getByRole('switch', { name: 'Ratings' }).isDisabled(), true)
  await page.getByRole('button', { name: 'Create pair' }).click()
  await page.getByText('Choose at least one feature to sync.').waitFor()
  await page.getByRole('switch', { name: 'Watchlist' }).click()
  await page.getByLabel('Name', { exact: true }).fill('Living room')
  await page.getByRole('button', { name: 'Create pair' }).click()

  await page.getByRole('heading', { name: 'Living room', level: 1 }).waitFor()
  t.match(await pairs(), [
    {
      name: 'Living room',
      mode: 'two_way',
      enabled: true,
      features: { watchlist: { enabled: true, add: true, remove: true } },
    },
  ])
  await page.getByRole('button', { name: 'Preview plan' }).click()
  await page.waitForURL('**/plans/*')
  await page.getByRole('region', { name: 'Emby' }).getByText(`${FAVOURITES} to add`).waitFor()
  t.equal(kept(), 0, 'nothing was written')

  const title = films[0]!.name
  await page.getByRole('searchbox', { name: 'Search titles' }).fill(title.toUpperCase())
  await page.getByRole('grid').getByText(title, { exact: true }).waitFor()
  await page.getByText('1 item', { exact: true }).waitFor()
  await page.getByRole('searchbox', { name: 'Search titles' }).fill('no such title')
  await page.getByRole('heading', { name: 'No matching items' }).waitFor()
  await page.getByRole('button', { name: 'Show all' }).click()
  await page.getByText('New on Jellyfin').first().waitFor()

  await page.getByRole('button', { name: 'Run this plan' }).click()
  await page.getByText(`In sync: ${FAVOURITES} added`).waitFor()
  t.equal(kept(), FAVOURITES)
  clean(t, page)
})

t.test('a large number of removals is held, listed, approved and made', async (t) => {
  const [pair] = await pairs()
  await runToEnd(service, { pair_id: pair!.id })
  for (const { id } of films.slice(0, GONE)) jellyfin.actions.setFavourite('sam', id, false)
  await runToEnd(service, { pair_id: pair!.id })
  t.equal(kept(), FAVOURITES, 'the guard keeps them')

  const page = await ui.open(`/pairs/${pair!.id}`)
  await page.getByRole('link', { name: `${GONE} removals need approval` }).click()
  await page.waitForURL('**/plans/*')
  await page.getByRole('button', { name: 'Show items', exact: true }).click()
  t.equal(await page.getByRole('radio', { name: `To approve ${GONE}` }).isChecked(), true)
  await page.getByText('Remove from Emby').first().waitFor()
  await page.getByRole('button', { name: `Approve ${GONE} removals…` }).click()
  const question = page.getByRole('dialog', { name: 'Approve the removals?' })
  await question.getByText(`and ${GONE - 8} more`).waitFor()
  t.equal(await question.getByRole('listitem').count(), 8)
  t.same(await seriousViolations(page), [])
  await question.getByRole('button', { name: 'Cancel' }).click()
  t.equal(kept(), FAVOURITES, 'nothing happens without a yes')

  await page.getByRole('button', { name: `Approve ${GONE} removals…` }).click()
  await page.getByRole('button', { name: `Remove ${GONE} items` }).click()
  await page.getByText(`${GONE} removed`).waitFor()
  t.equal(kept(), FAVOURITES - GONE)
  clean(t, page)
})

t.test('pairs are turned off, reordered by keyboard and by mouse, and deleted after a confirmation', async (t) => {
  const on = { enabled: true, add: true, remove: false }
  await expectOk(service, '/api/pairs', {
    name: 'Only progress',
    source: 'MEDIAC',
    target: 'MEDIAB',
    mode: 'one_way',
    enabled: true,
    features: { progress: on },
  })
  const page = await ui.open('/pairs')
  await page.getByRole('button', { name: /^Only progress, position 2 of 2/ }).focus()
  await page.keyboard.press('Alt+ArrowUp')
  await page.getByText('Order saved.').waitFor()
  t.same(
    (await pairs()).map(({ name }) => name),
    ['Only progress', 'Living room'],
  )
  await page.reload()
  await page.getByRole('button', { name: /^Only progress, position 1 of 2/ }).waitFor()
  for (const wanted of [
    ['Living room', 'Only progress'],
    ['Only progress', 'Living room'],
  ]) {
    await drag(page, /^Only progress, position/, /^Living room, position/)
    await page
      .getByRole('button', { name: new RegExp(`^Only progress, position ${wanted.indexOf('Only progress') + 1} of 2`) })
      .waitFor()
    await untilTrue('the order is saved', async () => (await pairs()).map(({ name }) => name).join() === wanted.join())
  }

  await page.getByRole('switch', { name: 'Turn Only progress on or off' }).locator('..').click()
  await page.getByText('Only progress is off.').waitFor()
  t.match(await pairs(), [{ name: 'Only progress', enabled: false }, { enabled: true }])

  await page.getByRole('button', { name: 'More actions for Only progress' }).click()
  await page.getByRole('menuitem', { name: 'Delete…' }).click()
  const question = page.getByRole('dialog', { name: 'Delete pair Only progress?' })
  await question.getByText('Sync state of Emby to Jellyfin').waitFor()
  await question.getByRole('button', { name: 'Delete pair' }).click()
  await page.getByText('Only progress deleted.').waitFor()
  t.same(
    (await pairs()).map(({ name }) => name),
    ['Living room'],
  )
  clean(t, page)
})

t.test('a changed direction resets the sync state only after a confirmation', async (t) => {
  const [pair] = await pairs()
  const page = await ui.open(`/pairs/${pair!.id}?tab=settings`)
  await page.getByRole('radio', { name: 'One way' }).click()
  await page.getByRole('radio', { name: /Everything that is not on the source/ }).waitFor()
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('button', { name: 'Save and reset' }).click()
  await page.getByText('Saved.').waitFor()
  t.match(await pairs(), [{ mode: 'one_way' }])
  clean(t, page)
})

t.test('dropped shows are skipped with a switch, if a service reports them', async (t) => {
  await using trakt = await startTrakt({ movies: 4, shows: 2, rateLimits: false })
  await expectOk(service, '/api/config', { trackA: { ...traktSettings(trakt), ...traktTokens(trakt) } })
  const { id } = await expectOk(service, '/api/pairs', {
    source: 'MEDIAB',
    target: 'TRACKA',
    features: { history: { enabled: true } },
  })
  const page = await ui.open(`/pairs/${id}?tab=settings`)
  await page.getByText('More options', { exact: true }).click()
  const leaveOut = page.getByRole('switch', { name: 'Skip shows dropped on Trakt' })
  t.equal(await page.getByRole('switch', { name: /dropped on/ }).count(), 1, 'Jellyfin reports none')
  await leaveOut.focus()
  await page.keyboard.press('Space')
  t.equal(await leaveOut.isChecked(), true)
  t.same(await seriousViolations(page), [])
  await fitsEveryWidth(t, page, 'the options of the history')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Saved.').waitFor()
  t.match((await service.json('/api/pairs')).body.find((pair: { id: string }) => pair.id === id).providers, {
    tracka: { history_ignore_dropped_shows: true },
  })
  clean(t, page)

  await t.test('terms of a service about pairs with other trackers are shown for such pairs only', async (t) => {
    await expectOk(service, '/api/config', { listA: { api_key: 'a key' } })
    await page.goto(`${service.url}/pairs/new`)
    const choose = async (side: string, name: string) => {
      await page.getByRole('combobox', { name: side }).click()
      await page.getByRole('option', { name, exact: true }).click()
    }
    const terms = page.getByText("Trakt's terms allow your own tool", { exact: false })
    await choose('First service', 'Trakt')
    await choose('Second service', 'Jellyfin')
    await page.getByRole('switch', { name: 'History' }).waitFor()
    t.equal(await terms.count(), 0, 'media servers may be synced')
    await choose('Second service', 'MDBList')
    await terms.waitFor()
    t.same(await seriousViolations(page), [])
    await choose('Second service', 'Playhead tracker')
    await terms.waitFor({ state: 'detached' })
    clean(t, page)
  })
})

for (const colorScheme of ['light', 'dark'] as const) {
  t.test(
    `the pages of pairs and plans are readable in the ${colorScheme} scheme${colorScheme === 'light' ? ' and fit every screen' : ''}`,
    async (t) => {
      const [pair] = await pairs()
      const plan = (await service.json('/api/plans?limit=1')).body.plans[0].plan_id
      const page = await ui.open('/pairs', { colorScheme })
      for (const path of [
        '/pairs',
        '/pairs/new',
        `/pairs/${pair!.id}`,
        `/pairs/${pair!.id}?tab=settings`,
        `/plans/${plan}`,
      ]) {
        await page.goto(service.url + path)
        await settled(page)
        t.same(await seriousViolations(page), [], path)
        // The width is the same in both colour schemes.
        if (colorScheme === 'light') await fitsEveryWidth(t, page, path)
      }
      clean(t, page)
    },
  )
}

/** Drags one entry by its handle to the position of another, in several steps as a hand does. */
async function drag(page: Page, from: RegExp, to: RegExp): Promise<void> {
  const middleOf = async (name: RegExp) => {
    const { x, y, width, height } = (await page.getByRole('button', { name }).boundingBox())!
    return [x + width / 2, y + height / 2] as const
  }
  const [start, end] = [await middleOf(from), await middleOf(to)]
  await page.mouse.move(...start)
  await page.mouse.down()
  await page.mouse.move(...end, { steps: 20 })
  await page.mouse.up()
}
