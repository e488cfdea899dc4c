// Current playback: followed sessions, and polled sessions of the other connected accounts.
import {
  ACCOUNTS,
  METADATA,
  namedPerson,
  ownsAccount,
  householdOf,
  type PluginContext,
  type ProviderDescription,
} from '@playhead/sdk'
import type { Current, Shown } from './current.ts'
import type { SessionPoller } from './poll.ts'
import { polledSessions, type Row, toRows, toSeconds, toUnavailable, type Unavailable } from './rows.ts'
import { findSessionSources } from './session-sources.ts'

export interface Playing {
  readonly currently_watching: Row | null
  readonly streams: readonly Row[]
  readonly streams_count: number
  readonly accounts_count: number
  readonly unavailable: readonly Unavailable[]
  readonly ts: number
}

interface ViewOptions {
  readonly ctx: Pick<PluginContext, 'capabilities' | 'use' | 'tryUse' | 'log'>
  readonly current: Current
  readonly poller: SessionPoller
  /** Accounts that a watcher follows. */
  readonly following: () => readonly { readonly provider: string; readonly instance: string }[]
  readonly tokenOf: (provider: string) => ProviderDescription['token']
  readonly now: () => number
}

export function createPlayingView({ ctx, current, poller, following, tokenOf, now }: ViewOptions): {
  followed(): Promise<readonly Row[]>
  /** @param person id of a person, whose sessions are shown alone; throws `PLH_NOT_FOUND` (`unknown_person`) */
  all(person?: string): Promise<Playing>
} {
  async function rowsOf(
    shown: Parameters<typeof toRows>[0],
    tokens: ReadonlyMap<string, string> = new Map(),
  ): Promise<readonly Row[]> {
    const hasArt = shown.length > 0 && (await hasPosters(ctx))
    return toRows(shown, {
      artOf: (kind, tmdb) => (hasArt ? `/art/metaA/${kind}/${tmdb}?size=w185` : null),
      tokenOf: (provider) => tokens.get(provider) ?? tokenOf(provider),
    })
  }

  /** Whether a session is of an account of the person. A session of another user is, if an account acts as that user. */
  async function ofPerson(person: string | undefined) {
    if (person === undefined) return { isOwn: () => true, isShown: () => true }
    const { accounts: own } = namedPerson(await householdOf(ctx), person)
    const owned = (await ctx.use(ACCOUNTS).list()).filter((one) => ownsAccount(own, one))
    return {
      isOwn: (account: { readonly provider: string; readonly instance: string }) => ownsAccount(own, account),
      isShown: ({ provider, instance, session: { account } }: Shown) =>
        account.relation === 'own'
          ? ownsAccount(own, { provider, instance })
          : owned.some((one) => one.provider === provider && account.id !== undefined && one.actsAs?.id === account.id),
    }
  }

  return {
    followed: () => rowsOf(current.rows()),
    async all(person) {
      const { isOwn, isShown } = await ofPerson(person)
      const followed = new Set(following().map(({ provider, instance }) => `${provider}@${instance}`))
      const sources = (await findSessionSources(ctx)).filter(isOwn)
      const asked = sources.filter(({ provider, instance }) => !followed.has(`${provider}@${instance}`))
      const accounts = await poller.poll(asked)
      // A polled account is more accurate than its webhooks.
      const answered = new Set(
        accounts
          .filter(({ reason }) => reason === undefined)
          .map(({ source: { provider, instance } }) => `${provider}@${instance}`),
      )
      const reported = current.rows().filter(({ provider, instance }) => !answered.has(`${provider}@${instance}`))
      const tokens = new Map(sources.map(({ provider, token }) => [provider, token]))
      const streams = await rowsOf([...reported, ...polledSessions(accounts)].filter(isShown), tokens)
      return {
        currently_watching: streams[0] ?? null,
        streams,
        streams_count: streams.length,
        accounts_count: sources.length,
        unavailable: [...toUnavailable(accounts)],
        ts: toSeconds(now()),
      }
    },
  }
}

// A failure hides the poster, not the session.
async function hasPosters(ctx: Pick<PluginContext, 'tryUse' | 'log'>): Promise<boolean> {
  const metadata = ctx.tryUse(METADATA)
  if (metadata === undefined) return false
  try {
    return await metadata.ready()
  } catch (error) {
    ctx.log.debug({ err: error }, 'the metadata service could not be checked for posters')
    return false
  }
}
