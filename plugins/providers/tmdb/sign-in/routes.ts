// Sign-in routes: approval at TMDB, an existing session, status, and sign-out.
import { clientSignal, isPlayheadError, MASK, Type } from '@playhead/sdk'
import {
  enteredFields,
  providerRoutes,
  type Refusals,
  routeRow,
  signInAnswer,
  SignInDone,
  signOutRow,
} from '@playhead/sdk/provider'
import { codeOf } from './failures.ts'
import type { Session } from '../session.ts'
import type { Profile } from '../settings.ts'
import { checkKey, checkSession, finishWith, keyProblem, METHOD, tokenFlow } from './sign-in.ts'
import { openAccount, openApi } from '../upstream.ts'

const Text = Type.Optional(Type.Union([Type.String({ maxLength: 2_048 }), Type.Null()]))
const Start = Type.Object({ api_key: Text })
const Finish = Type.Object({ api_key: Text, request_token: Text })
const Save = Type.Object({ api_key: Text, session_id: Text })

const Started = signInAnswer({
  auth_url: Type.String({ description: 'The page of TMDB to open.' }),
  request_token: Type.String(),
  expires_at: Type.String({ description: 'ISO time.' }),
})
const Finished = signInAnswer({
  session_id: Type.String({ description: 'Masked.' }),
  account_id: Type.String(),
  username: Type.String(),
})
const Verified = signInAnswer({
  connected: Type.Boolean(),
  pending: Type.Boolean({ description: 'A sign-in waits for its approval.' }),
  account: Type.Object({ id: Type.String(), username: Type.String() }),
})
/** With `ok: false`; those of the status route also with `connected: false`. */
const REFUSALS = {
  api_key_required: 'The key is missing.',
  bearer_prefix: 'The key starts with "Bearer". Leave that out.',
  v4_token_given: 'This is the API Read Access Token of TMDB. Enter the API Key instead.',
  invalid_format: 'A key has 32 digits and letters from a to f.',
  invalid_api_key: 'TMDB rejected the key.',
  unauthorized: 'TMDB rejected the sign-in.',
  timeout: 'TMDB did not respond in time.',
  bad_response: 'TMDB sent an invalid response.',
  unreachable: 'Could not reach TMDB.',
  upstream_error: 'TMDB refused the request, or had an error.',
}
const REFUSED: Refusals = { codes: REFUSALS, of: (error) => ({ error: codeOf(error) }) }
const EXPIRED = { 410: { expired: 'The sign-in ran out of time. Start it again.' } }

export const routes = providerRoutes<Profile, Session>({
  'POST connect/start': routeRow({
    summary: 'Start signing in to TMDB',
    body: Start,
    response: { 200: Started },
    refusals: REFUSED,
    async run({ kit, instance, profile, body }) {
      const { api_key: key = profile.api_key } = enteredFields(body, ['api_key'])
      const problem = keyProblem(key)
      if (problem !== undefined) return problem
      const { shown } = await kit.flows.start(instance, tokenFlow(kit, instance, key))
      // A working session belongs to its key, which stays until it is replaced.
      if (profile.session_id === '' && key !== profile.api_key) await kit.account(instance).save({ api_key: key })
      return shown
    },
  }),

  'POST connect/finish': routeRow({
    summary: 'Finish signing in to TMDB',
    body: Finish,
    response: { 200: Finished },
    refusals: REFUSED,
    errors: {
      200: {
        missing_request_token: 'No sign-in was started.',
        invalid_request_token: 'TMDB does not know the token. Start again.',
        not_approved: 'The sign-in was not approved yet.',
        internal: 'The sign-in failed; the log says more.',
      },
      ...EXPIRED,
    },
    async run({ kit, instance, profile, body, request }) {
      const { api_key: key = profile.api_key, request_token: token } = enteredFields(body, ['api_key', 'request_token'])
      const pending = kit.flows.state(instance, METHOD)
      const isPending = token === undefined || token === pending?.shown['request_token']
      const problem = isPending && pending !== undefined ? undefined : keyProblem(key)
      if (problem !== undefined) return problem
      if (!isPending)
        return { session_id: MASK, ...(await finishWith(kit, instance, { token, key }, clientSignal(request))) }
      const flow = await kit.flows.poll(instance, METHOD)
      if (flow?.state === 'authorized') return { session_id: MASK, ...flow.result }
      if (flow?.state === 'expired') return { ok: false, status: 'expired', error: 'expired' }
      if (flow?.state !== 'pending')
        return pending === undefined ? 'missing_request_token' : (flow?.reason ?? 'internal')
      const failure = kit.flows.problem(instance, METHOD)
      return failure === undefined ? 'not_approved' : codeOf(failure)
    },
  }),

  'POST save': routeRow({
    summary: 'Store a key and a session of TMDB',
    body: Save,
    response: { 200: SignInDone },
    refusals: REFUSED,
    errors: { 200: { invalid_session: 'TMDB does not know the session.' } },
    async run({ kit, instance, profile, body }) {
      const entered = enteredFields(body, ['api_key', 'session_id'])
      const { api_key: key, session_id: session } = { ...profile, ...entered }
      const problem = keyProblem(key)
      if (problem !== undefined) return problem
      const trial = kit.trial(instance, { api_key: key })
      const owner = session === '' ? {} : await checkSession(openAccount(trial, session))
      if (session === '') await checkKey(openApi(trial))
      await kit.account(instance).save({ api_key: key, ...(session === '' ? {} : { session_id: session, ...owner }) })
      kit.flows.cancel(instance, METHOD)
      await kit.forget(instance)
      return {}
    },
  }),

  'GET verify': routeRow({
    summary: 'Whether the account at TMDB is connected; finishes a sign-in that was approved',
    response: { 200: Verified },
    errors: {
      200: {
        verify_failed: 'TMDB could not be asked.',
        api_key_required: 'The key is missing.',
        not_connected: 'No account is connected.',
        invalid_api_key: 'TMDB rejected the key.',
        invalid_session: 'TMDB does not know the session.',
        unauthorized: 'TMDB rejected the sign-in.',
      },
      ...EXPIRED,
    },
    async run({ kit, instance }) {
      const flow = await kit.flows.poll(instance, METHOD)
      const { api_key: key, session_id: session, account_id: id, username } = kit.profile(instance)
      const pending = flow?.state === 'pending'
      const no = (error: string) => ({ connected: false, pending, error })
      const failed = { ok: false, connected: false, pending: false, error: 'verify_failed' }
      if (key === '' && !pending) return no('api_key_required')
      if (session === '') {
        if (pending) return kit.flows.problem(instance, METHOD) === undefined ? no('') : failed
        if (flow?.state === 'expired') return { ...failed, status: 'expired', error: 'expired' }
        return no(flow?.reason ?? 'not_connected')
      }
      try {
        const owner = await checkSession(openAccount(kit.account(instance)))
        if (owner.account_id !== id || owner.username !== username) await kit.account(instance).save(owner)
        return { connected: true, pending, account: { id: owner.account_id, username: owner.username }, error: '' }
      } catch (error) {
        if (!isPlayheadError(error)) throw error
        if (error.code === 'PLH_AUTH_FAILED') return no(error.wire)
        codeOf(error)
        return failed
      }
    },
  }),

  'POST disconnect': signOutRow('Forget the account at TMDB and end its session there'),
})
