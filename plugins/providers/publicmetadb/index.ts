import { defineProvider, type ProviderDefinition } from '@playhead/sdk/provider'
import { FEATURES, SIGN_IN } from './features.ts'
import { LISTS } from './lists.ts'
import { readHistory, readProgress, readWatchlist } from './read.ts'
import { routes } from './routes.ts'
import { openSession, type Session } from './session.ts'
import { CREDENTIALS, normalize, Profile } from './settings.ts'
import { Page } from './wire.ts'
import { writeHistory, writeProgress, writeWatchlist } from './write.ts'

const definition: ProviderDefinition<typeof Profile, Session> = {
  profile: Profile,
  group: 'other',
  vendor: 'PublicMetaDB',
  bidirectional: true,
  features: FEATURES,
  signIn: SIGN_IN,
  credentials: CREDENTIALS,
  missing: ({ api_key: key }) => (key === '' ? 'not_configured' : undefined),
  normalize,
  open: openSession,
  async probe({ upstream, owner }, signal) {
    await upstream.json({ path: '/lists', query: { page: 1, perPage: 1 }, signal }, Page)
    return { status: 'ok', account: await owner(), plays: true }
  },
  read: { watchlist: readWatchlist, history: readHistory, progress: readProgress },
  write: { watchlist: writeWatchlist, history: writeHistory, progress: writeProgress },
  lists: LISTS,
  routes,
}

export default defineProvider(definition)
