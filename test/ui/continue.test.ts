// slow: a browser, step by step
// Continue watching: cards, filters, actions, selection, failures of single services.
import t from 'tap'
import { atEndOfFile } from '../at-end-of-file.ts'
import { expectOk, signInToJellyfin, signInToTrakt, type Client } from '../demo/sign-in.ts'
import { startJellyfin } from '../upstreams/jellyfin.ts'
import { startTrakt } from '../upstreams/trakt.ts'
import { seriousViolations, startUi } from './harness.ts'
import { fitsEveryWidth, isFitWindow } from './looks.ts'

const ui = await startUi()
atEndOfFile(() => ui[Symbol.asyncDispose]())
const client: Client = ui.service
const [jellyfin, trakt] = await Promise.all([
  startJellyfin({ movies: 20, shows: 2 }),
  startTrakt({ movies: 20, shows: 2 }),
])
atEndOfFile(() => Promise.all([jellyfin.close(), trakt.close()]))

t.test('without a service the page names the next step', async (t) => {
  await expectOk(client, '/api/config', { svc: { enabled: false } })
  const page = await ui.open('/continue')
  await page.getByText('No service with progress').waitFor()
  await page.locator('#content').getByRole('link', { name: 'Connect a service' }).waitFor()
  t.same(await seriousViolations(page), [])
  t.same([page.recorded.errors, page.recorded.failed], [[], []])
})

t.test('titles are shown, filtered, moved, marked as watched and removed', async (t) => {
  await signInToJellyfin(client, jellyfin)
  await signInToTrakt(client, trakt)
  await expectOk(client, '/api/config', { mediaB: { max_retries: 0 } })
  const page = await ui.open('/continue', { colorScheme: 'light' })
  await page.getByText('Nothing to continue').waitFor()

  const films = jellyfin.items('Movie').slice(0, 5)
  const episode = jellyfin.items('Episode')[3]!
  const half = (item: { runtimeTicks?: number | undefined }) => item.runtimeTicks! / 20_000
  for (const film of films) jellyfin.actions.setPosition('sam', film.id, half(film))
  jellyfin.actions.setPosition('sam', episode.id, half(episode))
  trakt.user.pause(trakt.movie(9), 40)
  await page.getByRole('button', { name: 'Refresh' }).click()
  await page.getByText('7 titles').waitFor()
  const list = page.getByRole('list', { name: 'Titles to continue' })
  const card = (name: string) => list.getByRole('article', { name })
  t.match(await card(films[0]!.name).textContent(), /50% · .*left.*Jellyfin/)
  t.same(await seriousViolations(page), [])
  await fitsEveryWidth(t, page, 'the cards')
  await page.setViewportSize({ width: 1280, height: 800 })

  await page.getByRole('combobox', { name: 'Type' }).click()
  await page.getByRole('option', { name: 'Episodes' }).click()
  await page.getByText('1 title', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Clear filters' }).click()
  await page.getByLabel('Find a title').fill(films[1]!.name)
  await page.getByText('1 title', { exact: true }).waitFor()

  // Keyboard only.
  await page.getByRole('button', { name: `Actions for ${films[1]!.name}` }).focus()
  await page.keyboard.press('Enter')
  await page.locator('[role="menuitem"]:focus').waitFor()
  await page.keyboard.press('ArrowDown')
  await page.locator('[role="menuitem"]:focus', { hasText: 'Set position…' }).waitFor()
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Set position' })
  const slider = dialog.getByRole('slider', { name: 'Position' })
  await slider.focus()
  for (let step = 0; step < 10; step += 1) await page.keyboard.press('ArrowRight')
  await dialog.getByText(/^60%, .* of /).waitFor()
  await isFitWindow(t, page, 'the position')
  await page.emulateMedia({ colorScheme: 'light' })
  await dialog.getByRole('button', { name: 'Set position' }).click()
  await page.getByText('1 position set').waitFor()
  await card(films[1]!.name).getByText(/^60%/).waitFor()
  const positionMs = jellyfin.actions.userData('sam', films[1]!.id)!.positionTicks / 10_000
  t.ok(Math.abs(positionMs - (films[1]!.runtimeTicks! / 10_000) * 0.6) < 1_000)

  await page.getByRole('button', { name: `Actions for ${films[1]!.name}` }).click()
  await page.getByRole('menuitem', { name: 'Mark as watched…' }).click()
  await page.getByRole('dialog', { name: 'Mark 1 title as watched?' }).getByText('Jellyfin').waitFor()
  await page.getByRole('button', { name: 'Mark 1 title as watched' }).click()
  await page.getByText('1 title marked as watched').waitFor()
  await page.getByText('No matching titles').waitFor()
  t.match(jellyfin.actions.userData('sam', films[1]!.id), { played: true, playCount: 1 })
  await page.getByRole('button', { name: 'Clear filters' }).first().click()
  await page.getByText('6 titles').waitFor()

  for (const film of [films[0]!, films[2]!]) await card(film.name).getByRole('checkbox').check()
  const bar = page.getByRole('region', { name: '2 titles selected' })
  await bar.getByRole('button', { name: 'Remove positions…' }).click()
  await page.getByRole('button', { name: 'Remove 2 positions' }).click()
  await page.getByText('2 positions removed').waitFor()
  await page.getByText('4 titles').waitFor()
  await bar.waitFor({ state: 'detached' })
  for (const film of [films[0]!, films[2]!]) t.match(jellyfin.actions.userData('sam', film.id), { positionTicks: 0 })
  t.same([page.recorded.errors, page.recorded.failed], [[], []])
})

t.test('an item that is playing is marked, and cannot be changed here', async (t) => {
  const page = await ui.open('/', { colorScheme: 'light' })
  await page.route('**/api/playback_progress/items*', async (route) => {
    const response = await route.fetch()
    const json = (await response.json()) as { items: object[] }
    const live = { live_state: 'playing', live_progress_percent: 63, live_remaining_seconds: 3_900 }
    await route.fulfill({
      response,
      json: { ...json, items: json.items.map((item, n) => (n === 0 ? { ...item, ...live } : item)) },
    })
  })
  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'History' }).click()
  await page.getByRole('navigation', { name: 'History' }).getByRole('link', { name: 'Continue watching' }).click()
  const card = page.getByRole('article').first()
  await card.getByText('Playing now').waitFor()
  await card.getByText('63% · 1 h 5 min left').waitFor()
  await card.getByText('To change the position, stop it first.').waitFor()
  t.notMatch(await card.textContent(), 'Stopped', 'what plays has not stopped')
  t.match(await page.getByRole('article').last().textContent(), 'Stopped')
  t.equal(await card.getByRole('button', { name: /^Actions for/ }).count(), 0)
  t.ok((await page.getByRole('button', { name: /^Actions for/ }).count()) > 0)
  t.same(await seriousViolations(page), [])
  t.same([page.recorded.errors, page.recorded.failed], [[], []])
})

t.test('a failing service hides no other titles', async (t) => {
  const page = await ui.open('/continue')
  await page.getByText('4 titles').waitFor()
  jellyfin.faults.add({ kind: 'status', status: 502 })
  t.teardown(() => jellyfin.faults.clear())
  await page.getByRole('button', { name: 'Refresh' }).click()
  const alert = page.getByRole('alert')
  await alert.getByText('Jellyfin').first().waitFor()
  await page.getByText('May be out of date').first().waitFor()
  await page.getByText('4 titles').waitFor()
  t.same(await seriousViolations(page), [])
  await fitsEveryWidth(t, page, 'with a failure')
  t.same([page.recorded.errors, page.recorded.failed], [[], []])
})

t.test('if every account is excluded, the page says so', async (t) => {
  const { profiles } = (await client.json('/api/playback_progress/settings')).body
  await expectOk(client, '/api/playback_progress/settings', {
    disabled_profiles: profiles.map(({ key }: { key: string }) => key),
  })
  const page = await ui.open('/continue')
  await page.getByText('All services are hidden').waitFor()
  t.same(await seriousViolations(page), [])
  await page.locator('#content').getByRole('link', { name: 'Open settings' }).click()
  await page.getByText('Hidden accounts').first().waitFor()
  t.same([page.recorded.errors, page.recorded.failed], [[], []])
})
