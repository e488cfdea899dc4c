// Sign-ins in the browser: the authorization code flow (RFC 6749, 4.1), from the page of the service back to Playhead.
import { defined } from '../../defined.ts'
import { type Static, type TObject, type TProperties, type TUnsafe, Type } from '@sinclair/typebox'
import { type Caller, ownOrigin } from '../../caller.ts'
import { isPlayheadError } from '../../errors.ts'
import type { ErrorReasons } from '../../response.ts'
import type { ProviderKit } from '../define-contract.ts'
import { signInAnswer } from './answers.ts'
import { challengeOf, createVerifier } from './oauth.ts'
import type { RedirectEnding } from './redirect-states.ts'
import { type RouteRow, type RowAnswer, type RowCall, routeRow } from './route-rows.ts'

/** The parts of a token request. */
export interface CodeGrant {
  readonly code: string
  readonly redirectUri: string
  /** The application that the code belongs to. */
  readonly clientId: string
  /** The verifier of PKCE (RFC 7636). */
  readonly verifier: string
  /** Settings to save with the tokens; as given to `begin`. */
  readonly entered: Readonly<Record<string, string>>
}

/** Why a sign-in in the browser failed. */
export interface BrowserRefusal {
  /** For pages that poll: `read_only`. */
  readonly reason: string
  /** A fixed sentence for the person: nothing from the URL, and no text of the service. */
  readonly text: string
}

export interface BrowserStart {
  /** The page of the service, without parameters. */
  readonly url: string
  /** Empty: there is no application. */
  readonly clientId: string
  readonly scope?: string
  /** The service sends the browser back to https addresses only. */
  readonly httpsOnly?: boolean
  readonly entered?: CodeGrant['entered']
}

export interface BrowserRow<Profile, Session, Fields extends TProperties> {
  readonly summary: string
  /** Where the service sends the browser back to: `/callback/trackA`. Public in plugin.json. */
  readonly path: string
  /**
   * The method of the PKCE challenge. `plain`: for a service that knows no other, the challenge is the verifier itself. False
   * for a service that does not know PKCE. Default: `S256`.
   */
  readonly pkce?: false | 'plain'
  /** The names with which the service may identify itself as `iss` (RFC 9207). Absent: it sends none. */
  readonly issuers?: (profile: Readonly<Profile>) => readonly string[]
  /** Sentences in place of the usual ones. */
  readonly texts?: Partial<Readonly<Record<'state' | 'denied' | 'refused' | 'exchange', string>>>
  /** Fields of the body, beside `origin`. */
  readonly fields?: Fields
  /** Fields of the answer, beside `authorize_url`. */
  readonly shows?: TProperties
  /** Mostly `{ 200: BROWSER_REFUSALS }`. */
  readonly errors: ErrorReasons
  /**
   * Exchanges the code and stores the tokens; undefined when that is done. A PlayheadError ends the sign-in as
   * `exchange_failed`. Called once per state, in the session that began.
   */
  readonly exchange: (
    kit: ProviderKit<Profile, Session>,
    instance: string,
    grant: CodeGrant,
  ) => Promise<BrowserRefusal | undefined>
  /**
   * Prepares the sign-in. `begin` returns the answer: the URL to open, or `origin_missing`, `invalid_origin`, `https_required` or
   * `missing_client_id`. `origin` is the URL of Playhead in the browser: `https://playhead.example/connections`
   */
  run(
    call: RowCall<Profile, Session, Static<TObject<Fields>> & { readonly origin?: string }>,
    begin: (start: BrowserStart) => Promise<RowAnswer>,
  ): RowAnswer | Promise<RowAnswer>
}

interface Outcome {
  readonly status: number
  readonly text: string
  readonly ending: RedirectEnding
}

/** With `ok: false`, for routes that begin a sign-in in the browser. */
export const BROWSER_REFUSALS = {
  origin_missing: 'The address of Playhead is missing.',
  invalid_origin: 'The address is not one at which the browser reaches Playhead.',
  missing_client_id: 'There is no application to sign in with.',
} as const

const Return = Type.Object({
  code: Type.Optional(Type.String({ maxLength: 8_192 })),
  state: Type.Optional(Type.String({ maxLength: 500 })),
  error: Type.Optional(Type.String({ maxLength: 500 })),
})
const Issued = Type.Object({ ...Return.properties, iss: Return.properties.error })
const PAGE = { description: 'A sentence for people.', content: { 'text/plain': { schema: Type.String() } } }
/** Without authentication in Playhead there is only one user. */
const ONLY_SESSION = 'no-session'

/**
 * The route that begins a sign-in in the browser, and the one to which the browser returns. The return is valid once, for
 * the session that began, within 15 minutes. It shows a sentence (`text/plain`, 200 or 400; 500 for an unexpected error,
 * which is logged), and the outcome is there for pages that poll.
 *
 * @example
 * 'POST authorize': browserRow({
 *   summary: 'Start signing in to Acme',
 *   path: '/callback/acme',
 *   errors: { 200: BROWSER_REFUSALS },
 *   async exchange(kit, instance, { code, redirectUri, verifier }) {
 *     await kit.account(instance).save(await tokensFor(code, redirectUri, verifier))
 *     await kit.forget(instance)
 *     return undefined
 *   },
 *   run: ({ profile }, begin) => begin({ url: AUTHORIZE_URL, clientId: profile.client_id }),
 * })
 */
export function browserRow<Profile, Session, Fields extends TProperties = TProperties>({
  summary,
  path,
  pkce,
  issuers,
  texts = {},
  fields,
  shows,
  errors,
  exchange,
  run,
}: BrowserRow<Profile, Session, Fields>): RouteRow<Profile, Session> {
  return (app, kit, at) => {
    const { log, manifest, id } = kit.ctx
    const label = manifest.provider?.label ?? id
    const {
      state: foreign = 'State mismatch. Start the sign-in again.',
      denied = 'You did not allow the sign-in. You can close this window.',
      refused = `${label} refused the sign-in. Start it again.`,
      exchange: failed = `${label} did not accept the sign-in. Start it again.`,
    } = texts

    app.get<{ Querystring: Static<typeof Issued> }>(
      path,
      {
        schema: {
          summary: `Where ${label} sends the browser back to`,
          querystring: issuers === undefined ? Return : Issued,
          response: { 200: PAGE, 400: PAGE },
        },
      },
      async (request, reply) => {
        const { status, text } = await finish(request.caller, request.query)
        return reply.code(status).type('text/plain; charset=utf-8').header('cache-control', 'no-store').send(text)
      },
    )

    const page = Type.String({ description: `The page of ${label} to open.` })
    const row = routeRow<Profile, Session, TUnsafe<Static<TObject<Fields>> & { readonly origin?: string }>>({
      summary,
      body: Type.Unsafe(Type.Object({ origin: Type.Optional(Type.String({ maxLength: 500 })), ...fields })),
      response: { 200: signInAnswer({ authorize_url: page, ...shows }) },
      errors,
      run: (call) => run(call, (start) => begin(call.request.caller, call.instance, call.body.origin, start)),
    })
    row(app, kit, at)

    async function begin(
      caller: Caller,
      instance: string,
      named = '',
      { url, clientId, scope, httpsOnly = false, entered = {} }: BrowserStart,
    ): Promise<RowAnswer> {
      if (named.trim() === '') return 'origin_missing'
      const origin = ownOrigin(caller, named)
      if (origin === undefined) return 'invalid_origin'
      if (httpsOnly && !origin.startsWith('https:')) return 'https_required'
      if (clientId === '') return 'missing_client_id'
      const verifier = createVerifier()
      const redirectUri = origin + path
      const kept: Omit<CodeGrant, 'code'> = { redirectUri, clientId, verifier, entered }
      const address = new URL(url)
      for (const [name, value] of Object.entries({
        response_type: 'code',
        client_id: clientId,
        redirect_uri: redirectUri,
        ...defined({ scope }),
        state: await kit.redirects.issue(sessionOf(caller), instance, { ...kept }),
        ...challenge(verifier),
      }))
        address.searchParams.set(name, value)
      return { authorize_url: address.href }
    }

    function challenge(verifier: string): Readonly<Record<string, string>> {
      if (pkce === false) return {}
      return pkce === 'plain'
        ? { code_challenge: verifier, code_challenge_method: 'plain' }
        : { code_challenge: challengeOf(verifier), code_challenge_method: 'S256' }
    }

    async function finish(caller: Caller, back: Static<typeof Issued>): Promise<Pick<Outcome, 'status' | 'text'>> {
      const { code = '', state = '', error = '' } = back
      if ((code === '' && error === '') || state === '') return { status: 400, text: 'Missing code or state.' }
      const taken = await kit.redirects.take(sessionOf(caller), state).catch((failure: unknown) => {
        if (isPlayheadError(failure, 'PLH_EXPIRED')) return undefined
        throw failure
      })
      if (taken === undefined) return { status: 400, text: foreign }
      const { instance, data } = taken
      const outcome = await outcomeOf(instance, back, { ...(data as unknown as Omit<CodeGrant, 'code'>), code })
      await kit.redirects.end(instance, outcome.ending)
      return outcome
    }

    async function outcomeOf(
      instance: string,
      { error = '', iss = '' }: Static<typeof Issued>,
      grant: CodeGrant,
    ): Promise<Outcome> {
      try {
        // Another service answered to this state.
        if (iss !== '' && issuers?.(kit.profile(instance)).includes(iss) === false) return failure(foreign)
        if (error === 'access_denied') return { status: 400, text: denied, ending: { state: 'denied' } }
        if (error !== '') return failure(refused)
        const refusal = await exchange(kit, instance, grant)
        return refusal === undefined
          ? { status: 200, text: `${label} is connected. You can close this window.`, ending: { state: 'authorized' } }
          : failure(refusal.text, refusal.reason)
      } catch (cause) {
        if (!isPlayheadError(cause)) {
          log.error({ err: cause, instance }, 'the sign-in ended unexpectedly')
          return { ...failure('Error'), status: 500 }
        }
        log.warn({ instance, code: cause.code, wire: cause.wire }, `the sign-in at ${label} could not be finished`)
        return failure(failed)
      }
    }
  }
}

function sessionOf({ session }: Caller): string {
  return session?.id ?? ONLY_SESSION
}

function failure(text: string, reason = 'exchange_failed'): Outcome {
  return { status: 400, text, ending: { state: 'failed', reason } }
}
