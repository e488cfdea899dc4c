// The provider definition shared by both products. Each adds its dialect, sign-in methods and routes.
import type { Library, ProviderDefinition, SignInDescription, Support } from '@playhead/sdk'
import { accountLists } from './account-lists.ts'
import type { Dialect } from './dialect.ts'
import { type Mark, FAVOURITES, HISTORY, PROGRESS } from './marks.ts'
import { readPlaying } from './playback/playing.ts'
import { pictureAddress } from './pictures.ts'
import { watchSessions } from './playback/watch.ts'
import { parseWebhook } from './playback/webhook.ts'
import { PROBES } from './probes.ts'
import { readList } from './read/list.ts'
import { readMarks } from './read/marks.ts'
import type { Session } from './session.ts'
import { openSession } from './open-session.ts'
import { CREDENTIALS, libraryChoice, MediaBrowserProfile, missing, normalize } from './settings.ts'
import { users } from './sign-in/people.ts'
import { listViews } from './library.ts'
import { writeList } from './write/list.ts'
import { writeMarks } from './write/marks.ts'

type Definition = ProviderDefinition<typeof MediaBrowserProfile, Session>

/** Ids that identify a work in a library. */
const FINDABLE = ['tmdb', 'imdb', 'tvdb', 'tracka'] as const
const WRITES = {
  read: true,
  add: true,
  update: true,
  remove: true,
  needsAnyId: FINDABLE,
  // The items of a batch live until its last write, and then need a full garbage collection if they are many.
  maxBatch: 200,
  idempotentAdd: true,
  compares: ['update', 'remove'],
} as const

// No ratings: the products only show likes, store no rating time, and one of them does not store the number reliably.
const FEATURES: Support = {
  watchlist: { ...WRITES, update: false, kinds: ['movie', 'show'], untimed: true },
  // A play ends the position.
  history: {
    ...WRITES,
    overlaps: true,
    kinds: ['movie', 'episode'],
    days: 'noon',
    sharedTime: ['progress'],
    writeSideEffects: ['progress'],
  },
  // Both products count a work as watched above this position.
  progress: {
    ...WRITES,
    compares: ['add', 'update', 'remove'],
    kinds: ['movie', 'episode'],
    completion: { percent: 90 },
  },
}

type Reader = NonNullable<Definition['read']['history']>

const marks =
  (mark: Mark): Reader =>
  (session, request, signal) =>
    readMarks(session, mark, request, signal)

/**
 * @example
 * export default defineProvider({ ...mediaBrowserProvider({ dialect, signIn, description }), routes: … })
 */
export function mediaBrowserProvider({
  dialect,
  signIn,
  description,
}: {
  readonly dialect: Dialect
  readonly signIn: SignInDescription
  readonly description: string
}): Definition {
  return {
    profile: MediaBrowserProfile,
    group: 'media_server',
    vendor: dialect.product,
    description,
    bidirectional: true,
    features: FEATURES,
    signIn,
    credentials: CREDENTIALS,
    missing,
    normalize,
    libraryChoice,
    open: (account) => openSession(account, dialect),
    async probe(session, signal) {
      const { account, userId, userName } = await session.identity(true, signal)
      return { status: 'ok', account, user: { id: userId, name: userName } }
    },
    read: {
      history: marks(HISTORY),
      progress: marks(PROGRESS),
      watchlist: (session, request, signal) => {
        const { mode } = session.profile.watchlist
        return mode === 'favorites'
          ? readMarks(session, FAVOURITES, request, signal)
          : readList(session, mode, request, signal)
      },
    },
    write: {
      history: writeMarks,
      progress: writeMarks,
      watchlist: (session, request, signal) => {
        const { mode } = session.profile.watchlist
        return mode === 'favorites' ? writeMarks(session, request, signal) : writeList(session, mode, request, signal)
      },
    },
    lists: accountLists(dialect),
    playback: {
      playing: readPlaying,
      watch: (session, options, signal) => watchSessions(session, options, signal),
      webhook: { ...dialect.webhook, ratings: false, parse: parseWebhook },
    },
    probes: PROBES,
    pictures: pictureAddress,
    users,
    titlePage({ native }, { profile, account }) {
      if (native?.item_id === undefined || profile.server === '') return undefined
      const page = dialect.page(native.item_id, account?.split('/')[0])
      return page === undefined ? undefined : `${profile.server.replace(/\/*$/, '/')}${page}`
    },
    libraries: (session, signal): Promise<readonly Library[]> => listViews(session, signal),
    async signOut({ upstream, profile }, signal) {
      // An API key was created by an administrator and is not revoked here.
      if (profile.access_token === '') return
      await (await upstream.request({ method: 'POST', path: 'Sessions/Logout', signal })).text()
    },
  }
}
