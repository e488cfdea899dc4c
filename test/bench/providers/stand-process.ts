// A third party in a separate process.
import type { Feature } from '@playhead/sdk'
import { STANDS } from '../../stands/index.ts'
import { type Account, countOf, namesOf, type Stand } from '../../stands/stand.ts'
import { partsOf } from '../../stands/works.ts'
import { answerQuestions } from '../child.ts'

const HOUR_MS = 3_600_000
/** The plugins' own rates are measured; the stands switch them off for tests. */
const RATES = ['rate_limit', 'requests_per_minute', 'requests_per_sec']
let stand: Stand | undefined
let account: Account | undefined
let works: string[] = []
let put = 0

async function fill({ feature, count }: { readonly feature: Feature; readonly count: number }): Promise<void> {
  for (const work of works.slice(put, put + count)) {
    put += 1
    await account!.put(feature, {
      work,
      atMs: Date.now() - 48 * HOUR_MS - put * HOUR_MS,
      rating: 1 + (put % 10),
      percent: 30,
    })
  }
  stand!.later?.()
}

answerQuestions({
  /** Returns the settings of the account, with the plugin's rates. */
  async start({
    provider,
    count,
    latencyMs,
  }: {
    readonly provider: keyof typeof STANDS
    readonly count: number
    readonly latencyMs: number
  }) {
    // Some works have no usable id and are skipped.
    const movies = Math.ceil(count * 1.1)
    stand = await STANDS[provider]({ movies, latencyMs, limits: true })
    account = await stand.account()
    works = Array.from({ length: movies }, (_, index) => `movie/${index}`)
      // A copy of every fiftieth film is in a second library of media servers.
      .filter(
        (work) =>
          partsOf(work).ids.tmdb !== undefined &&
          partsOf(work).ids.imdb !== undefined &&
          partsOf(work).index % 50 !== 7,
      )
    return Object.fromEntries(Object.entries(await account.signIn()).filter(([name]) => !RATES.includes(name)))
  },
  fill,
  count: () => countOf(stand!),
  holds: async (feature: Feature) => (await account!.marks(feature)).length,
  /** Works that are not in the account yet, with the ids of other services. */
  others: (count: number) =>
    works.slice(put, put + count).map((work) => {
      const { ids, title, year } = partsOf(work)
      return { type: 'movie', title, year, ids: { ...namesOf(stand!, work), tmdb: String(ids.tmdb), imdb: ids.imdb } }
    }),
})
