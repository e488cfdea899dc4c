// slow: a browser, step by step
// The editor: 10,000 rows paged from the service, the keyboard, adding a row by its ids, editing, removing, review, save, undo,
// and conflicts with another person; blocks; reordering a list.
import t from 'tap'
import { atEndOfFile } from '../at-end-of-file.ts'
import { signInToEmby } from '../demo/sign-in.ts'
import { startEmby } from '../upstreams/emby.ts'
import { startTmdb } from '../upstreams/tmdb.ts'
import { settled, startUi } from './harness.ts'
import { isFit, isFitNow, isFitWindow } from './looks.ts'

const ROWS = 10_000
const NAMED: Readonly<Record<number, string>> = {
  4711: 'Quokka',
  4712: 'Wombat',
  4713: 'Numbat',
  815: 'Bilby',
  816: 'Dingo',
}
const LONG = 'A title that goes on and on '.repeat(8).slice(0, 200).trim()
const RTL = 'الرجل الذي عرف كل شيء'

const ui = await startUi()
const tmdb = await startTmdb({ movies: 60, shows: 2 })
atEndOfFile(async () => {
  await ui[Symbol.asyncDispose]()
  await tmdb.close()
})
const { apiUrl: api_url, imageUrl: image_url, apiKey: api_key } = tmdb
await ui.service.json('/api/config', { json: { metaA: { api_url, image_url, api_key } } })

const save = (body: object) => ui.service.json('/api/editor', { json: body })
const ratings = async (q = ''): Promise<any> =>
  (await ui.service.json(`/api/editor?kind=ratings&source=tracker&limit=5&q=${encodeURIComponent(q)}`)).body

t.test('an account without rows shows the next step', async (t) => {
  const page = await ui.open('/editor')
  await page.getByText('No items', { exact: true }).waitFor()
  await isFit(t, page, 'the empty editor')
  t.same([page.recorded.errors, page.recorded.failed], [[], []])
})

t.test('rows are found by typing, changed, removed and added, shown as a plan, saved and undone', async (t) => {
  const items = Object.fromEntries(
    Array.from({ length: ROWS }, (_, n) => {
      const title = NAMED[n] ?? (n === 0 ? LONG : n === 1 ? RTL : `Film no. ${n}`)
      return [
        `new${n}`,
        {
          ...{ type: 'movie', title, year: 2_000 + (n % 25), ids: { tmdb: String(500_000 + n) } },
          ...{ rating: 1 + (n % 10), rated_at: '2026-01-02T10:00:00Z' },
        },
      ]
    }),
  )
  for (let start = 0; start < ROWS; start += 2_500)
    await save({
      kind: 'ratings',
      source: 'tracker',
      items: Object.fromEntries(Object.entries(items).slice(start, start + 2_500)),
    })
  t.equal((await ratings()).count, ROWS)

  const page = await ui.open('/editor', { colorScheme: 'light' })
  await page.getByText('10,000 items').waitFor()
  t.equal(await page.getByRole('combobox', { name: 'Feature' }).inputValue(), 'Ratings', 'what has rows is shown first')
  await page.goto(`${ui.service.url}/editor?account=SVC@default&what=ratings`)
  const dialog = page.getByRole('dialog')
  await page.getByText('10,000 items').waitFor()
  t.ok((await page.getByRole('row').count()) < 60, 'only what is seen is there')
  const pages = () => page.recorded.requests.filter((one) => one.startsWith('GET /api/editor?')).length
  const before = pages()
  const grid = page.getByRole('grid', { name: 'Items' })
  await grid.focus()
  await page.keyboard.press('End')
  await page.waitForFunction(() => true)
  for (let wait = 0; wait < 100 && pages() === before; wait += 1) await page.waitForTimeout(50)
  t.ok(pages() > before, 'more rows are read when they come near')

  await grid.focus()
  await page.keyboard.press('Home')
  await page.keyboard.type('quokka')
  await page.getByText('1 item matches').waitFor()
  t.equal(await page.getByLabel('Search titles and IDs').inputValue(), 'quokka', 'typing in the grid searches')
  await grid.focus()
  await page.keyboard.press('Enter')
  await dialog.getByText('tmdb 504711').waitFor()
  await dialog.getByLabel('Rating (1 to 10)').fill('')
  await dialog.getByRole('button', { name: 'Apply' }).click()
  await dialog.getByText('A rating must be a whole number from 1 to 10.').waitFor()
  await isFitWindow(t, page, 'a row')
  await dialog.getByLabel('Rating (1 to 10)').fill('9')
  await dialog.getByRole('button', { name: 'Apply' }).click()
  await page.getByText('1 unsaved change').waitFor()

  await page.getByLabel('Search titles and IDs').fill('wombat')
  await page.getByText('Wombat (2012)').waitFor()
  await grid.focus()
  await page.keyboard.press('Space')
  await page.getByRole('button', { name: 'Remove', exact: true }).click()
  await page.getByText('2 unsaved changes').waitFor()

  await page.getByRole('button', { name: 'Add an item' }).click()
  await dialog.getByLabel('Title').fill('The Crimson')
  await dialog
    .getByRole('button', { name: /^The Crimson/ })
    .first()
    .waitFor()
  await isFitWindow(t, page, 'a new row')
  await dialog
    .getByRole('button', { name: /^The Crimson/ })
    .first()
    .press('Enter')
  await dialog.getByRole('button', { name: 'Apply' }).click()
  await dialog.getByText('A rating must be a whole number from 1 to 10.').waitFor()
  await dialog.getByLabel('Rating (1 to 10)').fill('6')
  await dialog.getByRole('button', { name: 'Apply' }).click()
  await page.getByText('3 unsaved changes').waitFor()
  await isFitNow(t, page, 'rows with changes')
  t.equal(
    (await ratings('quokka')).items[(await ratings('quokka')).original_keys[0]].rating,
    2,
    'nothing was saved yet',
  )

  await page.getByRole('button', { name: 'Review and save' }).click()
  await dialog.getByText('Quokka').waitFor()
  await dialog.getByText('Wombat').waitFor()
  await isFitWindow(t, page, 'the plan')
  await dialog.getByRole('button', { name: 'Save 3 changes' }).click()
  await page.getByText('3 changes saved.').waitFor()
  t.equal((await ratings()).count, ROWS)
  t.equal(Object.values<any>((await ratings('quokka')).items)[0].rating, 9)
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByText('The changes were undone.').waitFor()
  t.equal((await ratings()).count, ROWS)
  t.equal(Object.values<any>((await ratings('quokka')).items)[0].rating, 2)
  t.same([page.recorded.errors, page.recorded.failed], [[], []])
})

t.test("another person's change in between is shown, and both changes can be kept", async (t) => {
  const page = await ui.open('/editor?account=SVC@default&what=ratings')
  const dialog = page.getByRole('dialog')
  await page.getByLabel('Search titles and IDs').fill('bilby')
  await page.getByText('Bilby (2015)').click()
  await dialog.getByLabel('Rating (1 to 10)').fill('10')
  await dialog.getByRole('button', { name: 'Apply' }).click()
  const { original_keys: keys, items } = await ratings('dingo')
  const readAgain = page.waitForResponse((response) => response.url().includes('/api/editor?'))
  await save({
    kind: 'ratings',
    source: 'tracker',
    original_keys: keys,
    items: { [keys[0]]: { ...items[keys[0]], rating: 1 } },
  })
  await readAgain
  await page.getByRole('button', { name: 'Review and save' }).click()
  await dialog.getByRole('button', { name: 'Save 1 change' }).click()
  await dialog.getByText('These items were changed elsewhere').waitFor()
  await isFitWindow(t, page, 'a change of another person')
  await dialog.getByRole('button', { name: 'Save anyway' }).click()
  await page.getByText('1 change saved.').waitFor()
  t.equal(Object.values<any>((await ratings('bilby')).items)[0].rating, 10)
  t.equal(Object.values<any>((await ratings('dingo')).items)[0].rating, 1)
  t.same(page.recorded.errors, [])
  t.match(page.recorded.failed, ['409 POST /api/editor'])
})

t.test('a list of a service: reordering and a removal, read from and written to the service', async (t) => {
  await using emby = await startEmby({ movies: 30, shows: 1 })
  await signInToEmby(ui.service, emby)
  const films = emby.items('Movie').slice(0, 4)
  const list = emby.actions.createPlaylist(
    'sam',
    'Evening',
    films.map(({ id }) => id),
  )
  const endpoint = { name: 'Evening', provider: 'MEDIAC', playlist_id: `playlist:${list.id}` }
  const { id } = (await ui.service.json('/api/playlists/endpoints', { json: endpoint })).body.endpoint
  const page = await ui.open(`/editor?list=${id}`)
  const dialog = page.getByRole('dialog')
  await settled(page)
  await page
    .getByRole('button', { name: `Move ${films[0]!.name}` })
    .last()
    .click()
  await page.getByText('1 unsaved change').waitFor()
  await page.getByText(films[3]!.name).first().click()
  await dialog.getByRole('button', { name: 'Remove the item' }).click()
  await isFitNow(t, page, 'a list with changes')
  await page.getByRole('button', { name: 'Review and save' }).click()
  await dialog.getByRole('button', { name: 'Save 2 changes' }).click()
  await page.getByText('2 changes saved.').waitFor()
  t.same(
    list.entries!.map(({ itemId }) => itemId),
    [films[1]!.id, films[0]!.id, films[2]!.id],
  )
  t.same(page.recorded.errors, [])
})

t.test('a slow service shows progress, and a failed read can be retried', async (t) => {
  const page = await ui.open('/playlists')
  let fails = true
  await page.route('**/api/editor?**', async (route) => {
    await new Promise((resolve) => setTimeout(resolve, 800))
    await (fails ? route.fulfill({ status: 500, json: { ok: false, error: 'internal' } }) : route.continue())
  })
  await page.goto(`${ui.service.url}/editor?account=SVC@default&what=ratings`)
  await page.locator('#content').getByRole('status', { name: 'Loading…' }).first().waitFor()
  await page.getByRole('alert').first().waitFor()
  fails = false
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByText('10,000 items').waitFor()
  t.same(page.recorded.errors, [])
})
