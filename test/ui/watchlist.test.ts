// slow: a browser, step by step
// The watchlist: search, filters, posters and table, and removal.
import t from 'tap'
import { atEndOfFile } from '../at-end-of-file.ts'
import { expectOk, runToEnd, signInToTrakt, type Client } from '../demo/sign-in.ts'
import { startMdblist } from '../upstreams/mdblist.ts'
import { startTrakt } from '../upstreams/trakt.ts'
import { seriousViolations, settled, startUi } from './harness.ts'
import { fitsEveryWidth } from './looks.ts'

const ui = await startUi()
atEndOfFile(() => ui[Symbol.asyncDispose]())
const client: Client = ui.service

t.test('without a watchlist the page names the next step', async (t) => {
  const page = await ui.open('/watchlist')
  await page.getByText('Your watchlist is empty').waitFor()
  t.same(await seriousViolations(page), [])
  t.same([page.recorded.errors, page.recorded.failed], [[], []])
})

t.test('titles of all services are found, filtered and removed', async (t) => {
  const [trakt, mdblist] = await Promise.all([
    startTrakt({ movies: 40, shows: 2 }),
    startMdblist({ movies: 40, shows: 2 }),
  ])
  t.teardown(() => Promise.all([trakt.close(), mdblist.close()]))
  const films = Array.from({ length: 12 }, (_, index) => trakt.movie(index))
  for (const film of films) trakt.user.addToWatchlist(film)
  await signInToTrakt(client, trakt)
  await expectOk(client, '/api/config', { listA: { api_url: mdblist.url } })
  await expectOk(client, '/api/listA/save', { api_key: mdblist.user.apiKey })
  await expectOk(client, '/api/pairs', {
    source: 'TRACKA',
    target: 'LISTA',
    mode: 'one_way',
    enabled: true,
    features: { watchlist: { enabled: true, add: true, remove: true } },
  })
  await runToEnd(client)

  const page = await ui.open('/watchlist', { colorScheme: 'light' })
  await page.getByText('12 titles').waitFor()
  const wall = page.getByRole('listbox', { name: 'Titles on the watchlists' })
  await wall.getByRole('option').first().waitFor()
  const name = (await wall.locator('[data-title]').nth(3).textContent()) ?? ''
  await page.getByLabel('Find a title').fill(name)
  await wall.getByRole('option', { name }).first().waitFor()
  t.same(await seriousViolations(page), [])
  await fitsEveryWidth(t, page, 'the wall')

  await wall.getByRole('option', { name }).first().click()
  await page.getByRole('button', { name: 'Remove from all' }).click()
  await page.getByRole('dialog', { name: 'Remove 1 title?' }).getByText(name).waitFor()
  await page.getByRole('button', { name: 'Remove 1 title' }).click()
  await page.getByText('1 title removed').waitFor()
  await page.getByRole('button', { name: 'Clear filters' }).first().click()
  await page.getByText('11 titles').waitFor()

  await page.getByText('Table', { exact: true }).click()
  await page.getByRole('grid', { name: 'Titles on the watchlists' }).waitFor()
  await settled(page)
  t.same(await seriousViolations(page), [])
  t.same([page.recorded.errors, page.recorded.failed], [[], []])
})
