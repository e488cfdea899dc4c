// The API connection of a profile, and the meaning of SIMKL statuses. Texts of the service are never passed on.
import { createHash } from 'node:crypto'
import { PlayheadError, type UpstreamAccount } from '@playhead/sdk'
import {
  type AccountContext,
  accountWith,
  applicationOfToken,
  endOfAccess,
  ownerOfToken,
  rateLimits,
  serviceOptions,
  withMeanings,
} from '@playhead/sdk/provider'
import type { Profile } from './settings.ts'
import { refreshTokens } from './sign-in/tokens.ts'

const APP_NAME = 'playhead'
// Whole libraries come in one response.
const MAX_BYTES = 256 * 1024 * 1024
/** The daily quota is used up; the service does not say when it resets. */
const QUOTA_PAUSE_MS = 15 * 60_000
/** The client id that last worked, and a digest of the token that it worked with. */
const WORKED = 'worked_with'
const WORKED_TOKEN = 'worked_with_token'
const DAY_MS = 86_400_000

/**
 * The connection stays with the sign-in that opened it: it uses that sign-in's renewed tokens, and never the tokens of another person
 * who signed in meanwhile.
 */
export function openUpstream(account: AccountContext<Profile>): UpstreamAccount {
  const { api_url: baseUrl, rate_limit: rate } = account.profile
  /** The refresh token identifies the sign-in, because it does not change. */
  let grant = account.profile.refresh_token
  const version = account.ctx.host.version
  const { store } = account
  const isSameSignIn = () => grant !== '' && account.current().refresh_token === grant
  const signedIn = () => (isSameSignIn() ? account.current() : account.profile)
  /** Sign-ins of earlier versions lack their application; the one that last worked is used. */
  let workedWith: string | undefined
  const keyOf = (profile: Readonly<Profile>) =>
    ownerOfToken(profile) || (workedWith ?? applicationOfToken(profile).clientId)
  const plain = account.upstream({
    ...serviceOptions(account),
    baseUrl,
    maxBytes: MAX_BYTES,
    // The service handles one request per user at a time.
    limits: { concurrency: 1, ...rateLimits(rate) },
    headers: { 'user-agent': `${APP_NAME}/${version}` },
    credential: {
      secrets: () => ({ token: signedIn().access_token, key: keyOf(signedIn()) }),
      place: [
        { in: 'header', name: 'authorization', template: 'Bearer {token}' },
        { in: 'header', name: 'simkl-api-key', template: '{key}' },
        { in: 'query', name: 'client_id', template: '{key}' },
      ],
      // AUTH V1 has no refresh token.
      ...(grant === ''
        ? {}
        : {
            expiresAtMs: () => endOfAccess(signedIn()),
            refreshSkewMs: DAY_MS,
            refresh: async (signal: AbortSignal) => {
              grant = await refreshTokens(account, upstream, grant, signal)
            },
          }),
    },
  })
  let hasWorked = false
  const understood = withMeanings(plain, {
    403: forbidden,
    412: async () => preconditionFailed(hasWorked || (await store.get(WORKED)) === keyOf(signedIn())),
  })

  async function noteSuccess(): Promise<void> {
    hasWorked = true
    const profile = signedIn()
    const key = keyOf(profile)
    if ((await store.get(WORKED)) !== key) await store.set(WORKED, key)
    await store.set(WORKED_TOKEN, digest(profile.access_token))
  }

  /** The application that the token last worked with. Earlier versions did not store the token. */
  async function knownApplication(): Promise<string | undefined> {
    const token = await store.get<string>(WORKED_TOKEN)
    return token === undefined || token === digest(signedIn().access_token) ? store.get<string>(WORKED) : undefined
  }

  /** Adds the required parameters. */
  const upstream = accountWith(understood, async (asked) => {
    if (asked.anonymous !== true && ownerOfToken(signedIn()) === '') workedWith ??= await knownApplication()
    const query = { ...asked.query, 'app-name': APP_NAME, 'app-version': version }
    const answer = await understood.request({ ...asked, query })
    if (answer.status < 300 && asked.anonymous !== true && !hasWorked) await noteSuccess()
    return answer
  })
  return upstream
}

function digest(token: string): string {
  return createHash('sha256').update(token).digest('base64url')
}

function forbidden(): PlayheadError {
  return new PlayheadError('PLH_FORBIDDEN', 'SIMKL rejected the application or the account for this.', {
    details: { status: 403, reason: 'forbidden' },
  })
}

/** A wrong client id, or too many requests: the latter if the id has worked before. */
function preconditionFailed(hasWorked: boolean): PlayheadError {
  if (hasWorked) {
    return new PlayheadError('PLH_RATE_LIMITED', 'SIMKL accepts no more requests of this application for now.', {
      retryAfterMs: QUOTA_PAUSE_MS,
      details: { status: 412, reason: 'quota' },
    })
  }
  return new PlayheadError(
    'PLH_FORBIDDEN',
    'SIMKL does not know the client ID, or accepts no more requests from it. Check the client ID.',
    { wire: 'client_id_failed', details: { status: 412, reason: 'client_id_failed' } },
  )
}
