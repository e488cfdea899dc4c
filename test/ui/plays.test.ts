// slow: a browser, step by step
// Adding a play by hand: a title is selected by its ids, with a day of unknown time, a rating and two accounts, then previewed,
// recorded and undone. Episodes are selected from a list if it is known, and a repeated play is reported.
import t from 'tap'
import { atEndOfFile } from '../at-end-of-file.ts'
import { signInToJellyfin, signInToTrakt } from '../demo/sign-in.ts'
import { startJellyfin } from '../upstreams/jellyfin.ts'
import { startTrakt } from '../upstreams/trakt.ts'
import { startUi } from './harness.ts'
import { fitsEveryWidth, isFitNow } from './looks.ts'

const DAY = '2026-01-05'

const ui = await startUi()
const jellyfin = await startJellyfin({ movies: 30, shows: 2 })
const trakt = await startTrakt({ movies: 30, shows: 6 })
atEndOfFile(async () => {
  await ui[Symbol.asyncDispose]()
  await Promise.all([jellyfin.close(), trakt.close()])
})
const entry = trakt.movie(3)
const film = { title: entry.type === 'movie' ? entry.movie.title : '' }

t.test('a title that no account has suggests how to find more', async (t) => {
  const page = await ui.open('/plays/add')
  await page.getByLabel('What did you watch?').fill('Nothing of this kind')
  await page.getByText('No title found').waitFor()
  await page.getByRole('link', { name: 'Connect TMDB' }).waitFor()
  await fitsEveryWidth(t, page, 'nothing found')
  t.same(
    page.recorded.failed.filter((one) => !one.includes('GET /api/metadata/search')),
    [],
  )
  t.same(page.recorded.errors, [])
})

t.test('a film is recorded on a day without a time, at two accounts, and undone', async (t) => {
  await signInToJellyfin(ui.service, jellyfin)
  await signInToTrakt(ui.service, trakt)
  trakt.user.addToWatchlist(entry, Date.now())
  for (const index of [0, 5]) trakt.user.addToWatchlist(trakt.show(index), Date.now())
  const pair = {
    ...{ name: 'All', source: 'TRACKA', target: 'MEDIAB', mode: 'one_way', enabled: true },
    features: { watchlist: { enabled: true, add: true }, history: { enabled: true, add: true } },
  }
  const { id } = (await ui.service.json('/api/pairs', { json: pair })).body
  await ui.service.json('/api/run', { json: { pair_id: id } })

  const page = await ui.open('/history', { colorScheme: 'light' })
  await page.getByRole('link', { name: 'Add a play' }).click()
  await page.getByLabel('What did you watch?').fill(film.title)
  await page.getByRole('button', { name: film.title }).first().waitFor()
  await isFitNow(t, page, 'titles to choose from')
  await page.getByRole('button', { name: film.title }).first().press('Enter')
  await page.getByRole('radio', { name: 'On a day' }).check()
  await page.getByText('Without a time, only the day is recorded.').waitFor()
  await page.getByRole('button', { name: 'Preview' }).click()
  await page.getByText('Choose a day.').waitFor()
  await page.getByLabel('Day', { exact: true }).fill('2999-01-01')
  await page.getByText('This date is in the future.').waitFor()
  await page.getByLabel('Day', { exact: true }).fill(DAY)
  await page.getByText('8', { exact: true }).click()
  await isFitNow(t, page, 'the form')
  await page.getByRole('button', { name: 'Preview' }).click()

  await page.getByText('Nothing has been written yet.').waitFor()
  await page.getByText(/time unknown$/).waitFor()
  t.equal(trakt.user.plays().length, 0)
  await isFitNow(t, page, 'the preview')
  await page.getByRole('button', { name: 'Record 1 play' }).click()
  await page.getByRole('button', { name: 'Undo' }).waitFor()
  t.match(
    trakt.user.plays().map(({ watchedAtMs }) => watchedAtMs),
    [Date.UTC(2026, 0, 5, 12)],
  )
  t.match([...trakt.user.account.ratings.values()].length, 1)
  await isFitNow(t, page, 'the result')
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Undo' }).click()
  await page.getByText('Undone.').first().waitFor()
  t.same([trakt.user.plays().length, [...trakt.user.account.ratings.values()].length], [0, 0])
  t.same([page.recorded.errors, page.recorded.failed], [[], []])
})

t.test('episodes that no source knows are typed as numbers, and a repeated play is reported', async (t) => {
  const found = trakt.show(5)
  const title = found.type === 'show' ? found.show.title : ''
  const page = await ui.open('/plays/add')
  await page.getByLabel('What did you watch?').fill(title)
  await page.getByRole('button', { name: title }).first().press('Enter')
  await page.getByRole('button', { name: 'Preview' }).click()
  await page.getByText('Choose at least one episode.').waitFor()
  const numbers = page.getByRole('textbox', { name: 'Episodes' })
  await numbers.fill('one')
  await page.getByText('Enter numbers, for example 1-3, 5.').first().waitFor()
  await numbers.fill('1-2')
  await page.getByRole('checkbox', { name: 'Jellyfin' }).uncheck()
  await page.getByRole('radio', { name: 'On a day' }).check()
  await page.getByLabel('Day', { exact: true }).fill(DAY)
  await page.getByLabel('Time (optional)').fill('20:15')
  await page.getByRole('button', { name: 'Preview' }).click()
  await page.getByText('2 plays', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Record 2 plays' }).click()
  await page.getByRole('button', { name: 'Undo' }).waitFor()
  const times = trakt.user.plays().map(({ watchedAtMs }) => watchedAtMs)
  t.equal(times.length, 2)
  t.ok(
    times.every((at) => at === new Date(`${DAY}T20:15`).getTime()),
    'the time at this place',
  )

  await page.getByRole('button', { name: 'Add another play' }).click()
  await page.getByLabel('What did you watch?').fill(title)
  await page.getByRole('button', { name: title }).first().click()
  // The episodes are known now, because an account has them.
  await page.getByRole('checkbox', { name: /^2\b/ }).press('Space')
  await page.getByText('1 episode chosen').waitFor()
  await page.getByRole('checkbox', { name: 'Jellyfin' }).uncheck()
  await page.getByRole('radio', { name: 'On a day' }).check()
  await page.getByLabel('Day', { exact: true }).fill(DAY)
  await page.getByLabel('Time (optional)').fill('20:15')
  await page.getByRole('button', { name: 'Preview' }).click()
  await page.getByText('Already there').first().waitFor()
  t.equal(await page.getByRole('button', { name: 'Everything is already recorded' }).isDisabled(), true)
  t.same(
    [page.recorded.errors, page.recorded.failed.filter((one) => !one.startsWith('400 POST /api/manual'))],
    [[], []],
  )
})

t.test('a lost response is reported, and a slow service shows progress', async (t) => {
  const page = await ui.open('/plays/add')
  await page.route('**/api/metadata/search**', async (route) => {
    await new Promise((resolve) => setTimeout(resolve, 1_500))
    await route.fulfill({ status: 503, json: { ok: false, error: 'unavailable', detail: 'The search is not there.' } })
  })
  await page.getByLabel('What did you watch?').fill('Anything')
  await page.getByRole('status', { name: 'Loading…' }).first().waitFor()
  await page.getByText('The search is not there.', { exact: true }).waitFor({ timeout: 60_000 })
  await isFitNow(t, page, 'a search that fails')
  t.same(page.recorded.errors, [])
})
