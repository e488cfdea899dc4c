// Pairs in the browser, between two simulated servers: one is made, its plan is made, and every page of them fits every screen.
import t, { type Test } from 'tap'
import { signInToEmby, signInToJellyfin } from '../demo/sign-in.ts'
import { startEmby } from '../upstreams/emby.ts'
import { startJellyfin } from '../upstreams/jellyfin.ts'
import { overflow, seriousViolations, settled, startUi } from './harness.ts'

const FAVOURITES = 40
const WIDTHS = [360, 768, 1440]

const jellyfin = await startJellyfin({ movies: 80, shows: 2, activity: 0 })
t.teardown(() => jellyfin.close())
const emby = await startEmby({ movies: 80, shows: 2 })
t.teardown(() => emby.close())
const ui = await startUi()
t.teardown(() => ui[Symbol.asyncDispose]())
const { service } = ui

const films = jellyfin.items('Movie').filter(({ providerIds }) => providerIds['Tmdb'] !== undefined).slice(0, FAVOURITES)
for (const { id } of films) jellyfin.actions.setFavourite('sam', id, true)
const kept = () => emby.items('Movie').filter(({ id }) => emby.actions.userData('sam', id)?.favourite === true).length
const pairs = async () => (await service.json('/api/pairs')).body as { id: string; name: string }[]
const clean = (t: Test, page: Awaited<ReturnType<typeof ui.open>>) => t.same([page.recorded.errors, page.recorded.failed], [[], []])

t.test('without a pair the page leads to the form for one', async (t) => {
  const page = await ui.open('/pairs')
  await page.getByRole('heading', { name: 'No pair yet' }).waitFor()
  await page.getByRole('link', { name: 'New pair' }).click()
  await page.getByRole('heading', { name: 'New pair', level: 1 }).waitFor()
  clean(t, page)
})

await signInToJellyfin(service, jellyfin)
await signInToEmby(service, emby)

t.test('a pair is made, and its plan is made without a write', async (t) => {
  const page = await ui.open('/pairs/new')
  await page.getByRole('combobox', { name: 'First side' }).click()
  await page.getByRole('option', { name: 'Jellyfin' }).click()
  await page.getByRole('combobox', { name: 'Second side' }).click()
  await page.getByRole('option', { name: 'Emby' }).click()
  await page.getByText('Not possible: neither side keeps this.').waitFor()
  t.equal(await page.getByRole('switch', { name: 'Ratings' }).isDisabled(), true)
  await page.getByRole('button', { name: 'Create the pair' }).click()
  await page.getByText('Choose at least one thing to keep alike.').waitFor()
  await page.getByRole('switch', { name: 'Watchlist' }).click()
  await page.getByLabel('Name', { exact: true }).fill('Living room')
  await page.getByRole('button', { name: 'Create the pair' }).click()

  await page.getByRole('heading', { name: 'Living room', level: 1 }).waitFor()
  t.match(await pairs(), [{ name: 'Living room', mode: 'two_way', enabled: true, features: { watchlist: { enabled: true, add: true, remove: true } } }])
  await page.getByRole('button', { name: 'See the plan' }).click()
  await page.waitForURL('**/plans/*')
  t.equal(kept(), 0, 'nothing was written')
  clean(t, page)
})

for (const colorScheme of ['light', 'dark'] as const) {
  t.test(`the pages of pairs and plans are readable in the ${colorScheme} scheme and fit every screen`, async (t) => {
    const [pair] = await pairs()
    const plan = (await service.json('/api/plans?limit=1')).body.plans[0].plan_id
    const page = await ui.open('/pairs', { colorScheme })
    for (const path of ['/pairs', '/pairs/new', `/pairs/${pair!.id}`, `/pairs/${pair!.id}?tab=settings`, `/plans/${plan}`]) {
      await page.goto(service.url + path)
      await settled(page)
      t.same(await seriousViolations(page), [], path)
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: 800 })
        t.equal(await overflow(page), 0, `${path} at ${width}`)
      }
    }
    clean(t, page)
  })
}
