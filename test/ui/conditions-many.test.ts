// slow: a browser, step by step
// Every page with 10,000 titles of 200 characters: it fits a phone and renders only visible rows, also right-to-left.
import t from 'tap'
import { atEndOfFile } from '../at-end-of-file.ts'
import { expectOk, signInToTrakt } from '../demo/sign-in.ts'
import { startTrakt } from '../upstreams/trakt.ts'
import { follow, isClean, PHONE, rowsOf, stands } from './conditions.ts'
import { startUi } from './harness.ts'

const FILMS = 10_000
const LONG = 'A film with a name that does not end '.repeat(6).slice(0, 190)
const ONE_WORD = 'Donaudampfschifffahrt'.repeat(10).slice(0, 190)
const MOST_ELEMENTS = 6_000

const trakt = await startTrakt({ movies: FILMS, shows: 1, plan: 'vip', rateLimits: false })
atEndOfFile(() => trakt.close())
for (let index = 0; index < FILMS; index += 1) {
  const film = trakt.movie(index)
  Object.assign(film, { title: `${index % 2 === 0 ? LONG : ONE_WORD} ${index}` })
  trakt.user.addToWatchlist(film)
}
const ui = await startUi()
atEndOfFile(() => ui[Symbol.asyncDispose]())
const { service } = ui
await signInToTrakt(service, trakt)
await expectOk(service, '/api/config', { runtime: { debug: true } })
await expectOk(service, '/api/editor/state/import', { provider: 'TRACKA', features: ['watchlist'] })
const { status } = await service.json('/api/library?fresh=true')
t.equal(status, 200)

const rows = rowsOf('many')

t.test('every page fits', async (t) => {
  const page = await ui.open('/', PHONE)
  for (const direction of ['ltr', 'rtl']) {
    await page.evaluate((dir) => ((globalThis as any).document.documentElement.dir = dir), direction)
    for (const [path, { many }] of rows) {
      await follow(page, path)
      await stands(t, page, `${path} ${direction}`, many)
      const drawn = await page.locator('#content *').count()
      t.ok(drawn < MOST_ELEMENTS, `${path} draws what is seen: ${drawn} elements`)
    }
  }
  isClean(t, page)
  t.same(page.recorded.failed, [])
  await page.context().close()
})
