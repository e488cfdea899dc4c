// OAuth sign-in with redirect: the URL to open, and the exchange of the returned code. Without a client secret AniList's page
// displays the token, and the person pastes it (implicit grant).
import {
  applicationFor,
  type Caller,
  isPlayheadError,
  ownOrigin,
  type ProviderKit,
  type RedirectReturn,
  refusalIn,
  shippedClientId,
} from '@playhead/sdk'
import type { Session } from '../session.ts'
import type { Profile } from '../settings.ts'
import { exchange, keepToken } from './tokens.ts'

const RETURN_PATH = '/callback/animeA'
// Without authentication in Playhead there is only one user.
const NOBODY = 'no-session'

type Kit = ProviderKit<Profile, Session>
interface PendingSignIn {
  readonly instance: string
  readonly redirectUri: string
  readonly clientId: string
}
type Way =
  | { readonly ok: true; readonly authorize_url: string; readonly paste?: true }
  | { readonly ok: false; readonly error: string }
interface Page {
  readonly status: number
  readonly text: string
}

const page = (status: number, text: string): Page => ({ status, text })

interface Redirect {
  /**
   * `address` is the URL of Playhead in the browser, `https://playhead.example`. Only `caller` can finish the sign-in.
   */
  begin(instance: string, address: string, caller: Caller): Promise<Way>
  /** @param back query parameters of the redirect */
  finish(back: RedirectReturn, session: string | undefined): Promise<Page>
}

export function createRedirect(kit: Kit): Redirect {
  const states = kit.redirects

  async function begin(instance: string, address: string, caller: Caller): Promise<Way> {
    const profile = kit.profile(instance)
    const { clientId, clientSecret } = applicationFor(profile, {}, shippedClientId(kit.ctx))
    const session = caller.session?.id ?? NOBODY
    const pageFor = (query: Readonly<Record<string, string>>) =>
      `${profile.oauth_url}/oauth/authorize?${new URLSearchParams({ client_id: clientId, ...query })}`
    if (clientId !== '' && clientSecret === '') {
      const shown = { authorize_url: pageFor({ response_type: 'token' }), paste: true } as const
      await states.issue(session, instance, {}, shown)
      return { ok: true, ...shown }
    }
    if (address.trim() === '') return { ok: false, error: 'origin missing' }
    const origin = ownOrigin(caller, address)
    if (origin === undefined) return { ok: false, error: 'invalid_origin' }
    if (clientId === '') return { ok: false, error: 'missing_client_id' }
    const redirectUri = origin + RETURN_PATH
    const state = await states.issue(session, instance, { redirectUri, clientId })
    return { ok: true, authorize_url: pageFor({ redirect_uri: redirectUri, response_type: 'code', state }) }
  }

  async function finish({ code, state, error }: RedirectReturn, session = NOBODY): Promise<Page> {
    const refusal = refusalIn({ error })
    if ((code === '' && refusal === undefined) || state === '') return page(400, 'Missing code or state.')
    const pending = await takePending(session, state)
    if (pending === undefined || !isKnown(pending.instance)) return page(400, 'State mismatch.')
    if (refusal !== undefined) {
      await states.end(pending.instance, refusal)
      return page(400, 'The sign-in was not allowed. You can close this window.')
    }
    const done = await exchangeCode(code, pending)
    await states.end(
      pending.instance,
      done.status === 200 ? { state: 'authorized' } : { state: 'failed', reason: 'exchange_failed' },
    )
    return done
  }

  async function exchangeCode(
    code: string,
    { instance, redirectUri, clientId: requestedBy }: PendingSignIn,
  ): Promise<Page> {
    if (redirectUri === '') return page(400, 'Missing redirect address.')
    const account = kit.account(instance)
    const { client_id: clientId, client_secret: clientSecret } = account.current()
    if (clientId === '' || clientSecret === '') return page(400, 'Missing app credentials.')
    // A code belongs to the application that requested it.
    if (clientId !== requestedBy) return page(400, 'State mismatch.')
    try {
      await keepToken(kit, instance, await exchange(account, { code, redirectUri, clientId, clientSecret }))
    } catch (error) {
      if (!isPlayheadError(error)) {
        kit.ctx.log.error({ err: error, instance }, 'the sign-in ended unexpectedly')
        return page(500, 'Error')
      }
      kit.ctx.log.warn({ instance, code: error.code, wire: error.wire }, 'the sign-in failed')
      return page(400, 'Token exchange failed. Start the sign-in again.')
    }
    return page(200, 'AniList is connected. You can close this window.')
  }

  async function takePending(session: string, state: string): Promise<PendingSignIn | undefined> {
    try {
      const {
        instance,
        data: { redirectUri, clientId },
      } = await states.take(session, state)
      return { instance, redirectUri: String(redirectUri ?? ''), clientId: String(clientId) }
    } catch (error) {
      if (isPlayheadError(error, 'PLH_EXPIRED')) return undefined
      throw error
    }
  }

  /** The profile may have been removed meanwhile. */
  function isKnown(instance: string): boolean {
    try {
      kit.profile(instance)
      return true
    } catch (error) {
      if (isPlayheadError(error, 'PLH_NOT_FOUND')) return false
      throw error
    }
  }

  return { begin, finish }
}
