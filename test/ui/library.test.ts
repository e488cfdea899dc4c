// slow: a browser, step by step
// Library, title, history and statistics in a browser, with data of a real service.
import { readFile } from 'node:fs/promises'
import t from 'tap'
import { atEndOfFile } from '../at-end-of-file.ts'
import { expectOk, runToEnd, signInToJellyfin, signInToTrakt, type Client } from '../demo/sign-in.ts'
import { startJellyfin } from '../upstreams/jellyfin.ts'
import { startTrakt } from '../upstreams/trakt.ts'
import { seriousViolations, settled, startUi } from './harness.ts'
import { fitsEveryWidth, isFit } from './looks.ts'

const FILMS = 10_000
const DAY_MS = 86_400_000
const ui = await startUi()
atEndOfFile(() => ui[Symbol.asyncDispose]())
const client: Client = ui.service
const PHONE = { width: 360, height: 740 }

t.test('without any title the pages state their purpose and the next step', async (t) => {
  const page = await ui.open('/library')
  await page.getByText('Your library is empty').waitFor()
  await isFit(t, page, 'the empty library')
  await page.goto(`${ui.service.url}/history`)
  await page.getByText('Nothing watched yet').waitFor()
  t.same(await seriousViolations(page), [])
  await page.goto(`${ui.service.url}/statistics`)
  await page.getByText('No statistics yet').waitFor()
  t.same(await seriousViolations(page), [])
  t.same([page.recorded.errors, page.recorded.failed], [[], []])
  await page.goto(`${ui.service.url}/library/${encodeURIComponent('movie:tmdb:1')}`)
  await page.getByText('No service has it, or the address is wrong').waitFor()
  t.same(await seriousViolations(page), [])
})

t.test('titles, plays and numbers of a large account', async (t) => {
  const trakt = await startTrakt({ movies: FILMS, shows: 3, plan: 'vip', rateLimits: false })
  t.teardown(() => trakt.close())
  const { user } = trakt
  for (let index = 0; index < FILMS; index += 1) user.addToWatchlist(trakt.movie(index))
  const yesterday = Date.now() - DAY_MS
  // Trakt removes watched titles from the watchlist.
  user.watch(trakt.movie(0), yesterday)
  user.watch(trakt.movie(0), yesterday - 7 * DAY_MS)
  user.watch(trakt.episode(0, 1, 1), yesterday - 2 * DAY_MS)
  user.rate(trakt.movie(0), 9, yesterday)
  await signInToTrakt(client, trakt)
  // Reads the account without a pair.
  await expectOk(client, '/api/config', { runtime: { debug: true } })
  const imported = await expectOk(client, '/api/editor/state/import', {
    provider: 'TRACKA',
    features: ['watchlist', 'history', 'ratings'],
  })
  t.match(imported.features, {
    watchlist: { ok: true, count: FILMS - 1 },
    history: { count: 3 },
    ratings: { count: 1 },
  })
  const { body: found } = await client.json('/api/library?fresh=true&feature=rated')
  const [rated] = found.items

  await t.test('the library is searched, filtered and scrolled to its end', async (t) => {
    const page = await ui.open('/library')
    await page.getByText('10,001 titles').waitFor()
    const list = page.getByRole('list', { name: 'Titles in the library' })
    const { title, year } = rated
    await list.getByRole('link', { name: title }).first().waitFor()
    t.ok((await list.getByRole('listitem').count()) < 200, 'only what is seen is drawn')
    await page.evaluate('document.querySelector(".wall").scrollTo(0, 1e9)')
    await list.locator('[aria-posinset="10001"]').getByRole('link').waitFor()
    t.same(await seriousViolations(page), [])

    await page.getByLabel('Find a title').fill(`${title} ${year}`)
    await page.getByRole('combobox', { name: 'Show only' }).click()
    await page.getByRole('option', { name: 'Watched', exact: true }).click()
    await page.getByText(/^1 title$/).waitFor()
    await page.getByText('List', { exact: true }).click()
    await fitsEveryWidth(t, page, 'the list')
    await page.setViewportSize(PHONE)
    await page.getByRole('button', { name: 'Filters (1)' }).click()
    t.same(await seriousViolations(page), [])
    await page.getByRole('dialog').getByRole('button', { name: 'Clear filters' }).click()
    await page.getByRole('button', { name: 'Show results' }).click()
    await page.getByText('10,001 titles').waitFor()
    t.same([page.recorded.errors, page.recorded.failed], [[], []])
  })

  await t.test('arrow keys move between titles; Back and a reload return to filter, place and title', async (t) => {
    const page = await ui.open('/library')
    const list = page.getByRole('list', { name: 'Titles in the library' })
    const focused = (place: number) => list.locator(`[aria-posinset="${place}"] a:focus`)
    await page.getByRole('combobox', { name: 'Type' }).click()
    await page.getByRole('option', { name: 'Movies' }).click()
    await page.getByText('10,000 titles').waitFor()
    await list.locator('[aria-posinset="1"] a').focus()
    await page.keyboard.press('ArrowRight')
    await focused(2).waitFor()
    await page.keyboard.press('ArrowLeft')
    await focused(1).waitFor()
    await page.keyboard.press('ArrowDown')
    await list.locator('[aria-posinset]:not([aria-posinset="1"]) a:focus').waitFor()
    const columns = Number(await list.locator(':has(> a:focus)').getAttribute('aria-posinset')) - 1
    t.ok(columns > 3)
    await page.keyboard.press('ArrowUp')
    await focused(1).waitFor()
    await page.keyboard.press('End')
    await focused(10_000).waitFor()
    await page.keyboard.press('ArrowUp')
    const place = 10_000 - columns
    await focused(place).waitFor()
    const top = () => page.evaluate('document.querySelector(".wall").scrollTop')
    const before = Number(await top())
    t.ok(before > 1_000)

    const isBack = async (what: string) => {
      await page.getByText('10,000 titles').waitFor()
      await focused(place).waitFor()
      t.ok(Math.abs(Number(await top()) - before) <= 1, what)
      t.equal(await page.getByRole('combobox', { name: 'Type' }).inputValue(), 'Movies', what)
    }
    await page.keyboard.press('Enter')
    await page.waitForURL('**/library/movie*')
    await settled(page)
    await page.goBack()
    await isBack('after Back')
    await page.reload()
    await isBack('after a reload')
    await page.getByRole('link', { name: 'Library' }).first().click()
    await page.getByText('10,001 titles').waitFor()
    t.equal(await top(), 0, 'a link begins at the top, with all titles')
    t.same([page.recorded.errors, page.recorded.failed], [[], []])
  })

  await t.test('a person jumps to a letter or a year', async (t) => {
    const page = await ui.open('/library')
    const list = page.getByRole('list', { name: 'Titles in the library' })
    const jump = page.getByRole('slider', { name: 'Jump to' })
    for (const [order, query] of [
      ['Title', 'sort=title'],
      ['Year, oldest first', 'sort=year&order=asc'],
    ] as const) {
      await page.getByRole('combobox', { name: 'Order' }).click()
      await page.getByRole('option', { name: order, exact: true }).click()
      const { sections } = (await client.json(`/api/library?${query}&limit=1&sections=true`)).body
      t.ok(sections.length > 3)
      await jump.and(page.locator(`[aria-valuemax="${sections.length - 1}"][aria-valuenow="0"]`)).waitFor()
      const stands = async (index: number) => {
        const { label, offset } = sections.at(index)
        await list
          .locator(`[aria-posinset="${offset + 1}"]`)
          .getByRole('link')
          .waitFor()
        await page.locator(`[role="slider"][aria-valuetext="${label}"]`).waitFor()
      }
      await jump.focus()
      await page.keyboard.press('End')
      await stands(-1)
      await page.keyboard.press('ArrowUp')
      await stands(-2)
      await page.keyboard.press('Home')
      await page.keyboard.press('ArrowDown')
      await stands(1)
    }
    const { height } = (await jump.boundingBox())!
    await jump.hover({ position: { x: 10, y: height / 2 } })
    await page.mouse.down()
    await page.mouse.up()
    await list.locator('[aria-posinset="5000"]').getByRole('link').waitFor()
    await isFit(t, page, 'the library with its letters')
    t.same([page.recorded.errors, page.recorded.failed], [[], []])
  })

  await t.test('a title shows the data of its services, and is rated', async (t) => {
    const page = await ui.open(`/library/${encodeURIComponent(rated.key)}`)
    await page.getByRole('heading', { level: 1, name: `${rated.title} (${rated.year})` }).waitFor()
    await page.getByText('9 / 10').waitFor()
    await page.getByText('Watched 2 times').waitFor()
    await isFit(t, page, 'a title')
    await page.getByRole('button', { name: 'Rate', exact: true }).click()
    const dialog = page.getByRole('dialog', { name: 'Rate' })
    await dialog.getByLabel('Trakt').waitFor()
    t.same(await seriousViolations(page), [])
    await dialog.getByRole('radio', { name: '9', exact: true }).focus()
    await page.keyboard.press('ArrowLeft')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByText('8 / 10').first().waitFor()
    t.equal([...user.account.ratings.values()].length, 1)
    t.same(page.recorded.errors, [])
  })

  await t.test('the history shows each play on its day', async (t) => {
    const page = await ui.open('/history')
    await page.getByText(/^3 plays$/).waitFor()
    await page.getByRole('heading', { name: 'Yesterday' }).waitFor()
    await isFit(t, page, 'the history')
    await page.getByRole('combobox', { name: 'Type' }).click()
    await page.getByRole('option', { name: 'Episodes' }).click()
    await page.getByText(/^1 play$/).waitFor()
    await page.getByText('S01E01').waitFor()
    const play = page.getByRole('region', { name: 'Plays' }).getByRole('link').first()
    await play.focus()
    await page.keyboard.press('Enter')
    await page.waitForURL('**/library/**')
    await settled(page)
    await page.goBack()
    await page.getByText(/^1 play$/).waitFor()
    await play.and(page.locator(':focus')).waitFor()
    t.equal(await page.getByRole('combobox', { name: 'Type' }).inputValue(), 'Episodes', 'Back keeps the filter')
    await page.getByLabel('Find a title or episode').fill('nothing like this')
    await page.getByText('No matching plays').waitFor()
    t.same([page.recorded.errors, page.recorded.failed], [[], []])
  })

  await t.test('the statistics count the plays, and are saved as a picture', async (t) => {
    const page = await ui.open('/statistics')
    await settled(page)
    await page.getByRole('list', { name: 'By weekday' }).waitFor()
    await isFit(t, page, 'the statistics')
    const saved = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Save as picture' }).click()
    const bytes = await readFile(await (await saved).path())
    t.equal(bytes.subarray(1, 4).toString(), 'PNG')
    t.ok(bytes.length > 20_000)

    const unreadable = [{ provider: 'TRACKA', instance: 'default', feature: 'history', rows: 2 }]
    await page.route('**/api/statistics?**', async (route) => {
      const response = await route.fetch()
      await route.fulfill({ response, json: { ...(await response.json()), unreadable } })
    })
    await page.reload()
    await page
      .getByText('2 stored items of Trakt (History) are damaged and not counted. Refresh the account.')
      .waitFor()
    t.same(await seriousViolations(page), [])
    t.same([page.recorded.errors, page.recorded.failed], [[], []])
  })

  await t.test('a failure is shown, and a retry shows the titles', async (t) => {
    const page = await ui.open('/login')
    let isDown = true
    await page.route(/\/api\/(?:library|history|statistics)/, (route) =>
      isDown
        ? route.fulfill({ status: 503, json: { ok: false, error: 'not_ready', message: 'The library is being read.' } })
        : route.continue(),
    )
    for (const [path, shown] of [
      ['/library', '10,001 titles'],
      ['/history', '3 plays'],
      ['/statistics', 'By weekday'],
    ] as const) {
      isDown = true
      await page.goto(ui.service.url + path)
      await page.getByText('The library is being read.', { exact: true }).waitFor()
      t.same(await seriousViolations(page), [], path)
      isDown = false
      await page.getByRole('button', { name: 'Try again' }).click()
      await page.getByText(shown).first().waitFor()
    }
  })

  await t.test('with a key of the metadata service a title has a description', async (t) => {
    const page = await ui.open('/login')
    await page.route('**/api/metadata/providers', (route) => route.fulfill({ json: [{ id: 'METAA', ready: true }] }))
    await page.route('**/api/metadata/resolve', (route) =>
      route.fulfill({
        json: {
          ok: true,
          found: true,
          result: {
            overview: 'Two men, one city. '.repeat(40),
            genres: ['Crime', 'Drama'],
            runtime_minutes: 170,
            cast: [{ name: 'Al Example', character: 'Vincent' }],
          },
        },
      }),
    )
    await page.goto(`${ui.service.url}/library/${encodeURIComponent(rated.key)}`)
    for (const text of ['Crime', '2 h 50 min', 'With Al Example']) await page.getByText(text).waitFor()
    await fitsEveryWidth(t, page, 'what it is about')
    t.same(await seriousViolations(page), [])
  })

  await t.test('a title that one service matched wrongly is moved there, and moved back', async (t) => {
    const [own] = user.plays()
    const other = trakt.catalogue.movies[77]!
    const times = () =>
      user
        .plays()
        .map(({ watchedAtMs }) => watchedAtMs)
        .sort()
    const before = times()
    const keys = () => new Set(user.plays().map(({ key }) => key))
    const old = keys()
    t.ok(own)
    const page = await ui.open(`/library/${encodeURIComponent(rated.key)}`)
    await page.getByRole('button', { name: 'Fix match' }).click()
    const dialog = page.getByRole('dialog', { name: 'Fix match' })
    await dialog.getByRole('radio', { name: /Trakt/ }).click()
    await dialog.getByRole('searchbox').fill(other.title)
    await dialog.getByRole('list', { name: 'Titles found' }).getByRole('button').first().click()
    await dialog.getByText('This is moved on Trakt:').waitFor()
    t.same(await seriousViolations(page), [])
    await page.setViewportSize(PHONE)
    t.same(await seriousViolations(page), [], 'on a phone, too')
    t.same([times(), keys()], [before, old], 'nothing is written before it is agreed')
    await dialog.getByRole('button', { name: 'Move it' }).click()
    await dialog.getByRole('button', { name: 'Open title' }).waitFor()
    t.same(times(), before, 'with the same times')
    t.not(JSON.stringify([...keys()]), JSON.stringify([...old]))
    await dialog.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('Undone', { exact: true }).waitFor()
    t.same([times(), keys()], [before, old])
    t.same(page.recorded.errors, [])
  })

  await t.test('an unsynced item states its reason, is retried, and is ignored', async (t) => {
    const jellyfin = await startJellyfin({ movies: 20, shows: 1 })
    t.teardown(() => jellyfin.close())
    await signInToJellyfin(client, jellyfin)
    // The library of the server is smaller.
    const film = trakt.catalogue.movies[5_000]!
    user.watch(trakt.movie(5_000), yesterday)
    await expectOk(client, '/api/pairs', {
      source: 'TRACKA',
      target: 'MEDIAB',
      mode: 'one_way',
      enabled: true,
      features: { history: { enabled: true, add: true, remove: false } },
    })
    await runToEnd(client)
    const { body } = await client.json('/api/library?fresh=true&sort=last_watched')
    const missing = body.items.find((one: { ids: { tmdb?: string } }) => one.ids.tmdb === String(film.ids.tmdb))
    const page = await ui.open(`/library/${encodeURIComponent(missing.key)}`)
    const part = page.getByRole('region', { name: 'Not synced' })
    await part
      .getByText(/Jellyfin/)
      .first()
      .waitFor()
    await isFit(t, page, 'what is not synced')
    await part.getByRole('button', { name: 'Try again' }).click()
    await page.getByText('The sync of this title has started').waitFor()
    let summary = (await client.json('/api/run/summary')).body
    while (summary.running === true) {
      await new Promise((turn) => setTimeout(turn, 100))
      summary = (await client.json('/api/run/summary')).body
    }
    const tried = (await client.json(`/api/runs/${summary.run_id}`)).body
    t.match(tried.run, { added: 0, removed: 0 }, 'nothing but this title')
    await page.reload()
    await part.getByRole('button', { name: 'Ignore' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Ignore' }).click()
    await page.getByText('Ignored on Jellyfin').waitFor()
    const { body: policy } = await client.json('/api/editor/state/manual/export')
    t.match(JSON.stringify(policy), missing.ids.tmdb)
    await runToEnd(client)
    await page.reload()
    await page.getByRole('region', { name: 'On your services' }).waitFor()
    t.equal(await part.count(), 0, 'no run tries it again')
    t.same(page.recorded.errors, [])
  })
})
