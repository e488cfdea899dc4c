// The two servers: Jellystat, which has the log, and the media server, which has the ids.
import { PlayheadError, type UpstreamAccount } from '@playhead/sdk'
import { type AccountContext, serviceOptions, withMeanings } from '@playhead/sdk/provider'
import type { Profile } from './settings.ts'

const AT_ONCE = 2
/** A row has the streams of its file. */
const MAX_BYTES = 64 * 1_024 * 1_024

/** @param isAnonymous without the key, because something else may answer there */
export function openJellystat(account: AccountContext<Profile>, isAnonymous = false): UpstreamAccount {
  const { server, verify_ssl: verifyTls } = account.profile
  const api = account.upstream({
    ...serviceOptions(account),
    baseUrl: server,
    verifyTls,
    maxBytes: MAX_BYTES,
    limits: { concurrency: AT_ONCE },
    ...(isAnonymous
      ? {}
      : {
          credential: {
            secrets: () => ({ key: account.current().api_key || undefined }),
            place: [{ in: 'header', name: 'x-api-token', template: '{key}' }],
          },
        }),
  })
  return withMeanings(api, { 403: () => refused('Jellystat does not accept the API key.') })
}

/** @param isAnonymous without the key, because something else may answer there */
export function openMediaServer(account: AccountContext<Profile>, isAnonymous = false): UpstreamAccount {
  const { ctx, name, profile } = account
  const api = ctx.upstream.account({
    ...serviceOptions(account),
    // Pauses and limits of one server are none of the other.
    account: `${name}/media`,
    baseUrl: profile.media_server,
    entered: true,
    verifyTls: profile.verify_ssl,
    maxBytes: MAX_BYTES,
    limits: { concurrency: AT_ONCE },
    ...(isAnonymous
      ? {}
      : {
          credential: {
            secrets: () => ({ key: account.current().media_key || undefined }),
            place: [
              { in: 'header', name: 'authorization', template: 'MediaBrowser Token="{key}"' },
              { in: 'header', name: 'x-emby-token', template: '{key}' },
            ],
          },
        }),
  })
  return withMeanings(api, { 403: () => refused('The media server does not accept the API key.') })
}

function refused(message: string): PlayheadError {
  return new PlayheadError('PLH_AUTH_FAILED', message, { details: { status: 403 } })
}
