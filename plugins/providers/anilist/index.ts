import { defineProvider, type ProviderDefinition } from '@playhead/sdk/provider'
import { FEATURES, SIGN_IN } from './features.ts'
import { LISTS } from './own-lists.ts'
import { probe } from './sign-in/probe.ts'
import { readRatings, readWatchlist } from './read.ts'
import { routes } from './sign-in/routes.ts'
import { openSession, type Session } from './session.ts'
import { CREDENTIALS, normalize, Profile } from './settings.ts'
import { writeRatings } from './write/ratings.ts'
import { writeWatchlist } from './write/watchlist.ts'

export const definition: ProviderDefinition<typeof Profile, Session> = {
  profile: Profile,
  group: 'tracker',
  vendor: 'AniList',
  bidirectional: true,
  features: FEATURES,
  signIn: SIGN_IN,
  credentials: CREDENTIALS,
  // The OAuth application is only needed to sign in.
  missing: ({ access_token: token }) => (token === '' ? 'not_configured' : undefined),
  normalize,
  open: openSession,
  probe,
  read: { watchlist: readWatchlist, ratings: readRatings },
  lists: LISTS,
  write: { watchlist: writeWatchlist, ratings: writeRatings },
  titlePage: ({ ids }) => (ids.anilist === undefined ? undefined : `https://anilist.co/anime/${ids.anilist}`),
  routes,
}

export default defineProvider(definition)
