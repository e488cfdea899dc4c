// AniList for the conformance kit. Its works have ids of AniList and of one other service.
import type { Feature, Item } from '@playhead/sdk'
import type { Adapter, Person } from '@playhead/sdk/testing/conformance'
import { itemOf } from '../../plugins/anilist/support.ts'
import { type Media, startAniList, type User } from '../../upstreams/anilist.ts'
import { redirectFlow } from './redirect.ts'
import { connect, mixedStock, pastTimes, valued } from './support.ts'

const NAMES = ['ada', 'bob'] as const
const WORKS = ['movie', 'show'] as const

const adapter: Adapter = {
  async start({ size }) {
    const anilist = await startAniList({ rateLimits: false, names: NAMES, movies: size + 8, shows: 30 })
    const stock = mixedStock<Media>({ movie: anilist.films, show: anilist.series })
    const nextTime = pastTimes()
    const seeded: Record<string, Media[]> = {}
    const seededOf = (person: Person, feature: Feature) => (seeded[`${person} ${feature}`] ??= [])
    const tokens = new Set<string>()
    const config = {
      api_url: anilist.url,
      oauth_url: anilist.oauthUrl,
      client_id: anilist.clientId,
      client_secret: anilist.clientSecret,
      requests_per_minute: 0,
    }
    const userOf = (person: Person): User => anilist.userNamed(NAMES[person])

    return {
      services: [anilist],
      config,
      async signIn(host, instance, person) {
        const access_token = anilist.signIn(NAMES[person])
        tokens.add(access_token)
        const { id, name } = userOf(person).account
        await connect(host, 'ANIMEA', instance, { ...config, access_token, user: { id, name } })
      },
      seed(person, feature, count) {
        for (const film of stock.take(WORKS, count)) {
          userOf(person).save(
            film,
            feature === 'ratings' ? { status: 'COMPLETED', scoreRaw: 70 } : { status: 'PLANNING' },
            nextTime(),
          )
          seededOf(person, feature).push(film)
        }
      },
      takeOff(person, feature) {
        const film = seededOf(person, feature).shift()
        if (film !== undefined) userOf(person).remove(film)
      },
      fresh: (feature, count) =>
        stock.take(WORKS, count).map((film) => {
          // Only listed works can be rated.
          if (feature === 'ratings')
            for (const name of NAMES) anilist.userNamed(name).save(film, { status: 'COMPLETED' }, nextTime())
          return valued(feature, itemOf(film, { title: film.title.romaji }))
        }),
      // A custom list accepts only works of the account.
      listItems: (person, _kind, count) =>
        stock.take(WORKS, count).map((film) => {
          userOf(person).save(film, { status: 'PLANNING' }, nextTime())
          return itemOf(film, { title: film.title.romaji })
        }),
      unknown: (feature): Item =>
        valued(feature, { type: 'anime', film: true, title: 'Never made', ids: { anilist: '999000001' } }),
      count: (person, feature) =>
        [...userOf(person).account.entries.values()].filter(({ scoreRaw, status }) =>
          feature === 'ratings' ? scoreRaw > 0 : status === 'PLANNING',
        ).length,
      secrets: () => [anilist.clientSecret, ...tokens],
      revoke: (person) => userOf(person).revokeTokens(),
      isWrite: ({ body = '' }) => body.includes('mutation'),
      flows: [
        redirectFlow({
          start: '/api/animeA/authorize',
          back: '/callback/animeA',
          approve: (address) => anilist.authorize(address),
        }),
      ],
      close: () => anilist.close(),
    }
  },
}

export default adapter
