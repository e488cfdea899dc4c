// slow: a stand-in for each service
// Pages of titles: rows that an account has open at its service, by addresses without secrets.
import t from 'tap'
import type { Item } from '@playhead/sdk/items'
import { subjectOf } from './subjects.ts'

const FILM: Item = { type: 'movie', ids: { tmdb: '949', imdb: 'tt0113277', anilist: '21' } }
const EPISODE: Item = { type: 'episode', ids: {}, show_ids: { tmdb: '1399', imdb: 'tt0944947' }, season: 1, episode: 2 }
/** By ids alone: the film and the episode. */
const BY_IDS: Readonly<Record<string, readonly (string | null)[]>> = {
  jellyfin: [null, null],
  emby: [null, null],
  plex: [null, null],
  simkl: [null, null],
  trakt: ['https://trakt.tv/search/tmdb/949?id_type=movie', 'https://trakt.tv/search/tmdb/1399?id_type=show'],
  anilist: ['https://anilist.co/anime/21', null],
  tmdb: ['https://www.themoviedb.org/movie/949', 'https://www.themoviedb.org/tv/1399/season/1/episode/2'],
  mdblist: ['https://mdblist.com/movie/tt0113277', 'https://mdblist.com/show/tt0944947'],
}
const OF_ROWS: Readonly<Record<string, RegExp>> = {
  jellyfin: /^http:\/\/127\.0\.0\.1:\d+\/web\/#\/details\?id=\w+&serverId=\w+$/,
  emby: /^http:\/\/127\.0\.0\.1:\d+\/web\/index\.html#!\/item\?id=\w+&serverId=\w+$/,
  plex: /^https:\/\/app\.plex\.tv\/desktop\/#!\/server\/\w+\/details\?key=%2Flibrary%2Fmetadata%2F\d+$/,
  simkl: /^https:\/\/simkl\.com\/(?:movies|tv|anime)\/\d+$/,
}

for (const [id, expected] of Object.entries(BY_IDS))
  t.test(id, async (t) => {
    const subject = await subjectOf(id)
    await using bench = await subject.open()
    const { provider, simulator } = bench
    const { features, titlePages } = await provider.describe()
    t.equal(titlePages, true, 'it is declared')
    const { account } = await provider.probe('default')
    const pagesOf = async (items: readonly Item[]) => provider.titlePages!('default', { items, account: account! })
    t.same(await pagesOf([FILM, EPISODE]), expected)
    const feature = features.history === undefined ? 'ratings' : 'history'
    await simulator.seed(0, feature, 3)
    const { rows: items } = await bench.read(feature)
    const pages = (await pagesOf(items)).filter((page) => page !== null)
    t.ok(items.length > 0 && pages.length > 0, `${pages.length} of ${items.length} rows have one`)
    const form = OF_ROWS[id]
    if (form !== undefined) for (const page of pages) t.match(page, form)
    for (const secret of simulator.secrets()) t.notOk(pages.some((page) => page.includes(secret)))
    if (id === 'emby')
      t.same(
        await provider.titlePages!('default', { items }),
        items.map(() => null),
        'not without its server',
      )
  })
