// Plex requests for the sign-in: a PIN for the browser to approve, its token, and the account. The token lives in one
// function and is revoked afterwards.
import {
  isPlayheadError,
  type Logger,
  PlayheadError,
  type ProvenPerson,
  Type,
  type UpstreamAccount,
  type UpstreamFactory,
} from '@playhead/sdk'

interface BegunPin {
  readonly pinId: number
  /** The page where a person approves. */
  readonly authUrl: string
  readonly lifeMs: number
}

export interface PlexIdentity {
  /** @param forwardUrl where the browser is redirected afterwards */
  begin(clientId: string, forwardUrl: string, signal: AbortSignal): Promise<BegunPin>
  /** The token of the approved PIN; null while it is pending, `gone` when it expired. */
  tokenOf(clientId: string, pinId: number, signal: AbortSignal): Promise<string | null | 'gone'>
  /** Reads the account of a token, then always signs the token out. */
  personOf(clientId: string, token: string, signal: AbortSignal): Promise<ProvenPerson>
}

interface PlexIdentityOptions {
  /** Empty for Plex itself. */
  readonly cloudUrl: string
  readonly upstream: UpstreamFactory
  readonly version: string
  readonly log: Logger
}

const PRODUCT = 'Playhead'
const TIMEOUT_MS = 20_000
const SIGN_OUT_MS = 5_000
const DEFAULT_LIFE_S = 600

const TextOrNull = Type.Optional(Type.Union([Type.String(), Type.Null()]))
const Pin = Type.Object({
  id: Type.Integer({ minimum: 1 }),
  code: Type.String({ minLength: 1 }),
  expiresIn: Type.Optional(Type.Number()),
  authToken: TextOrNull,
})
const User = Type.Object({
  id: Type.Integer({ minimum: 1 }),
  username: TextOrNull,
  title: TextOrNull,
  email: TextOrNull,
  thumb: TextOrNull,
})

export function createPlexIdentity({ cloudUrl, upstream, version, log }: PlexIdentityOptions): PlexIdentity {
  const baseUrl = cloudUrl === '' ? 'https://plex.tv' : cloudUrl.replace(/\/+$/, '')

  return {
    begin: (clientId, forwardUrl, signal) =>
      asGateway(async () => {
        const pin = await accountWith(clientId).json(
          { method: 'POST', path: '/api/v2/pins', form: { strong: 'true' }, signal },
          Pin,
        )
        return {
          pinId: pin.id,
          authUrl: signInPage(clientId, pin.code, forwardUrl),
          lifeMs: (pin.expiresIn ?? DEFAULT_LIFE_S) * 1_000,
        }
      }),

    tokenOf: (clientId, pinId, signal) =>
      asGateway(async () => {
        const answer = await accountWith(clientId).request({ path: `/api/v2/pins/${pinId}`, accept: [404], signal })
        if (answer.status === 404) {
          await answer.text()
          return 'gone'
        }
        return (await answer.json(Pin)).authToken || null
      }),

    personOf: (clientId, token, signal) =>
      asGateway(async () => {
        const account = accountWith(clientId, token)
        try {
          const { id, username, title, email, thumb } = await account.json({ path: '/api/v2/user', signal }, User)
          return { accountId: String(id), username: username || title || '', email: email ?? '', thumb: thumb ?? '' }
        } finally {
          await signOut(account)
        }
      }),
  }

  function accountWith(clientId: string, token?: string): UpstreamAccount {
    return upstream.account({
      account: token === undefined ? 'sso/pin' : 'sso/person',
      baseUrl,
      timeoutMs: TIMEOUT_MS,
      tries: 2,
      headers: {
        accept: 'application/json',
        'X-Plex-Client-Identifier': clientId,
        'X-Plex-Product': PRODUCT,
        'X-Plex-Version': version,
        'X-Plex-Platform': 'Node',
        'X-Plex-Device': PRODUCT,
        'X-Plex-Device-Name': PRODUCT,
      },
      ...(token === undefined
        ? {}
        : {
            credential: {
              secrets: () => ({ token }),
              place: [{ in: 'header' as const, name: 'X-Plex-Token', template: '{token}' }],
            },
          }),
    })
  }

  // Not bound to the request: a disconnecting client must not leave the token behind.
  async function signOut(account: UpstreamAccount): Promise<void> {
    try {
      const answer = await account.request({
        method: 'DELETE',
        path: '/api/v2/users/signout',
        idempotent: true,
        timeoutMs: SIGN_OUT_MS,
      })
      await answer.text()
    } catch (error) {
      log.warn(
        { code: isPlayheadError(error) ? error.code : 'unexpected' },
        'the token of a sign-in could not be revoked at Plex',
      )
    }
  }
}

// The fragment after # is read by the page and never sent to a server.
function signInPage(clientId: string, code: string, forwardUrl: string): string {
  const parts = { clientID: clientId, code, 'context[device][product]': PRODUCT, forwardUrl }
  return `https://app.plex.tv/auth#?${Object.entries(parts)
    .map((pair) => pair.map(encodeURIComponent).join('='))
    .join('&')}`
}

// A rejection by Plex must not become a 401, which would mean that the Playhead session ended.
async function asGateway<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (!isPlayheadError(error) || !FAILURES.has(error.code)) throw error
    throw new PlayheadError('PLH_UPSTREAM', 'Could not reach Plex, or it refused the request. Try again later.', {
      cause: error,
      wire: 'upstream_error',
    })
  }
}

const FAILURES: ReadonlySet<string> = new Set([
  'PLH_UPSTREAM',
  'PLH_UPSTREAM_INVALID',
  'PLH_AUTH_FAILED',
  'PLH_NOT_FOUND',
])
