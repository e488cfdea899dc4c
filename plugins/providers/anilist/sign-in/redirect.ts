// OAuth sign-in with redirect: the URL to open, and the exchange of the returned code.
import {
  type Caller,
  isPlayheadError,
  ownOrigin,
  type ProviderKit,
  type RedirectReturn,
  refusalIn,
} from '@playhead/sdk'
import type { Session } from '../session.ts'
import type { Profile } from '../settings.ts'
import { exchange, readViewer } from './tokens.ts'
import { openUpstream } from '../upstream.ts'

const RETURN_PATH = '/callback/animeA'
// Without authentication in Playhead there is only one user.
const NOBODY = 'no-session'

type Kit = ProviderKit<Profile, Session>
interface PendingSignIn {
  readonly instance: string
  readonly redirectUri: string
  readonly clientId: string
}
type Way = { readonly ok: true; readonly authorize_url: string } | { readonly ok: false; readonly error: string }
interface Page {
  readonly status: number
  readonly text: string
}

const page = (status: number, text: string): Page => ({ status, text })

export interface Redirect {
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
    const { client_id: clientId, client_secret: clientSecret, oauth_url: oauthUrl } = kit.profile(instance)
    if (address.trim() === '') return { ok: false, error: 'origin missing' }
    const origin = ownOrigin(caller, address)
    if (origin === undefined) return { ok: false, error: 'invalid_origin' }
    if (clientId === '') return { ok: false, error: 'missing_client_id' }
    if (clientSecret === '') return { ok: false, error: 'missing_client_secret' }
    const redirectUri = origin + RETURN_PATH
    const state = await states.issue(caller.session?.id ?? NOBODY, instance, { redirectUri, clientId })
    const url = new URL(`${oauthUrl}/oauth/authorize`)
    const query = { client_id: clientId, redirect_uri: redirectUri, response_type: 'code', state }
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
    return { ok: true, authorize_url: url.href }
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
      const token = await exchange(account, { code, redirectUri, clientId, clientSecret })
      // Nothing is stored until the new token has identified its account.
      const { id, name } = await readViewer(openUpstream(kit.trial(instance, { access_token: token })))
      await account.save({ access_token: token, user: { id, name } })
      await kit.forget(instance)
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
