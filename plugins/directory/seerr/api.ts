// The HTTP client of Seerr, and what its refusals mean: it answers 403 for a wrong key, for a missing right and for a spent quota.
import { type AccountOptions, PlayheadError, type UpstreamAccount } from '@playhead/sdk'
import { type AccountContext, serviceOptions, withMeanings } from '@playhead/sdk/provider'
import type { Profile } from './settings.ts'

/** Each look at a title makes Seerr ask TMDB. */
const AT_ONCE = 3

/** As whom Seerr answers: `user` of the profile, the owner of the API key (`admin`), or without a sign-in. */
export type As = 'user' | 'admin' | 'anonymous'

/** @param address instead of that of the profile */
export function openApi(account: AccountContext<Profile>, as: As, address = account.profile.server): UpstreamAccount {
  const { api_key: key, user_id: user, verify_ssl: verifyTls } = account.profile
  const upstream = account.upstream({
    ...serviceOptions(account),
    baseUrl: `${address}/api/v1`,
    verifyTls,
    limits: { concurrency: AT_ONCE },
    headers: {
      ...serviceOptions(account).headers,
      // Requests with `userId` in their body would be approved with the rights of the key's owner.
      ...(as === 'user' && key !== '' ? { 'x-api-user': String(user) } : {}),
    },
    ...(as === 'anonymous' ? {} : { credential: credentialOf(account) }),
  })
  return withMeanings(upstream, { 403: (_answer, text) => refusal(text) })
}

function credentialOf(account: AccountContext<Profile>): NonNullable<AccountOptions['credential']> {
  const isKey = account.profile.api_key !== ''
  return {
    secrets: () => {
      const { api_key: key, session } = account.current()
      return { secret: (isKey ? key : session) || undefined }
    },
    place: [
      isKey
        ? { in: 'header', name: 'x-api-key', template: '{secret}' }
        : { in: 'header', name: 'cookie', template: 'connect.sid={secret}' },
    ],
  }
}

/** `PLH_AUTH_FAILED`, or `PLH_FORBIDDEN` with a code as `details.reason`. */
function refusal(text: string): PlayheadError {
  const { error, message } = spoken(text)
  if (error !== '' || /access denied/i.test(message))
    return new PlayheadError('PLH_AUTH_FAILED', 'Seerr does not accept the key or the sign-in, or has no such user.')
  const [reason, sentence] = /quota/i.test(message)
    ? ['provider_limit', 'The user has no requests left in Seerr for now.']
    : /black|block/i.test(message)
      ? ['blocklisted', 'The title is on the blocklist of Seerr.']
      : /csrf/i.test(message)
        ? ['read_only', 'Seerr only permits reading: CSRF protection is switched on in its network settings.']
        : ['forbidden', 'The user may not do that in Seerr.']
  return new PlayheadError('PLH_FORBIDDEN', sentence!, { details: { reason } })
}

function spoken(text: string): { readonly error: string; readonly message: string } {
  try {
    const { error, message } = JSON.parse(text) as { readonly error?: unknown; readonly message?: unknown }
    return { error: wordsOf(error), message: wordsOf(message) }
  } catch {
    return { error: '', message: '' }
  }
}

const wordsOf = (value: unknown) => (typeof value === 'string' ? value : '')
