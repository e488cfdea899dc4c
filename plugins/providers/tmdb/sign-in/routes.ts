// Sign-in routes: approval at TMDB, an existing session, status, and sign-out.
import {
  clientSignal,
  defined,
  type ErrorReasons,
  isMasked,
  isPlayheadError,
  MASK,
  type PluginApp,
  type TSchema,
  Type,
} from '@playhead/sdk'
import {
  InstanceQuery,
  PROFILE_ERRORS,
  sendRefusal,
  SERVICE_ERRORS,
  signInAnswer,
  SignInDone,
  signOutRoute,
} from '@playhead/sdk/provider'
import type { FastifyReply } from 'fastify'
import { codeOf } from './failures.ts'
import { type Kit, type Problems, checkKey, checkSession, finishWith, keyProblem, tokenFlow } from './sign-in.ts'
import { openAccount, openApi } from '../upstream.ts'

const Text = Type.Optional(Type.Union([Type.String({ maxLength: 2_048 }), Type.Null()]))
const Start = Type.Object({ api_key: Text })
const Finish = Type.Object({ api_key: Text, request_token: Text })
const Save = Type.Object({ api_key: Text, session_id: Text })

type Body = Readonly<Record<'api_key' | 'request_token' | 'session_id', string | null | undefined>>
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
/** With `ok: false`; of the status also with `connected: false`. */
const REFUSALS = {
  api_key_required: 'The key is missing.',
  bearer_prefix: 'The key begins with "Bearer"; leave that out.',
  v4_token_given: 'This is the long token of TMDB; enter the short key.',
  invalid_format: 'A key has 32 digits and letters from a to f.',
  invalid_api_key: 'TMDB refuses the key.',
  unauthorized: 'TMDB refuses the sign-in.',
  timeout: 'TMDB did not answer in time.',
  bad_response: 'TMDB sent something that cannot be read.',
  unreachable: 'TMDB cannot be reached.',
  upstream_error: 'TMDB refused or failed.',
}
const START_ERRORS = { ...SERVICE_ERRORS, 200: REFUSALS }
const SAVE_ERRORS = { ...SERVICE_ERRORS, 200: { ...REFUSALS, invalid_session: 'TMDB does not know the session.' } }
const FINISH_ERRORS = {
  ...SERVICE_ERRORS,
  200: {
    ...REFUSALS,
    missing_request_token: 'No sign-in was started.',
    invalid_request_token: 'TMDB does not know the token. Start again.',
    not_approved: 'The sign-in was not approved yet.',
    internal: 'The sign-in failed; the log says more.',
  },
  410: { expired: 'The sign-in ran out of time. Start it again.' },
}
const VERIFY_ERRORS = {
  ...PROFILE_ERRORS,
  200: {
    verify_failed: 'TMDB could not be asked.',
    api_key_required: 'The key is missing.',
    not_connected: 'No account is connected.',
    invalid_api_key: 'TMDB refuses the key.',
    invalid_session: 'TMDB does not know the session.',
    unauthorized: 'TMDB refuses the sign-in.',
  },
  410: FINISH_ERRORS[410],
}

const schema = (summary: string, answer: TSchema, errors: ErrorReasons, body?: object) => ({
  schema: { summary, querystring: InstanceQuery, response: { 200: answer }, errors, ...defined({ body }) },
})

export function registerRoutes(app: PluginApp, kit: Kit): void {
  const problems: Problems = new Map()

  app.post(
    '/api/metaA_sync/connect/start',
    schema('Start signing in to TMDB', Started, START_ERRORS, Start),
    async (request, reply) => {
      const instance = kit.instanceOf(request)
      const stored = kit.profile(instance)
      const key = entered((request.body as Body).api_key, stored.api_key)
      const problem = keyProblem(key)
      if (problem !== undefined) return { ok: false, error: problem, instance }
      return orCode(reply, instance, async () => {
        const { shown } = await kit.flows.start(instance, tokenFlow(kit, instance, key, problems))
        // A working session belongs to its key, which stays until it is replaced.
        if (stored.session_id === '' && key !== stored.api_key) await kit.account(instance).save({ api_key: key })
        return { ok: true, ...shown, instance }
      })
    },
  )

  app.post(
    '/api/metaA_sync/connect/finish',
    schema('Finish signing in to TMDB', Finished, FINISH_ERRORS, Finish),
    async (request, reply) => {
      const instance = kit.instanceOf(request)
      const { api_key: given, request_token: token } = request.body as Body
      const key = entered(given, kit.profile(instance).api_key)
      const pending = kit.flows.state(instance, 'request_token')
      const isPending = isMasked(token) || token?.trim() === pending?.shown['request_token']
      const problem = isPending && pending !== undefined ? undefined : keyProblem(key)
      if (problem !== undefined) return { ok: false, error: problem, instance }
      return orCode(reply, instance, async () => {
        if (!isPending) {
          const done = await finishWith(kit, instance, { token: String(token).trim(), key }, clientSignal(request))
          return { ok: true, session_id: MASK, ...done, instance }
        }
        if (pending === undefined) return { ok: false, error: 'missing_request_token', instance }
        const flow = await kit.flows.poll(instance, 'request_token')
        if (flow?.state === 'authorized') return { ok: true, session_id: MASK, ...flow.result, instance }
        if (flow?.state === 'expired')
          return reply.code(410 as 200).send({ ok: false, status: 'expired', error: 'expired', instance })
        return {
          ok: false,
          error: flow?.state === 'pending' ? (problems.get(instance) ?? 'not_approved') : (flow?.reason ?? 'internal'),
          instance,
        }
      })
    },
  )

  app.post(
    '/api/metaA_sync/save',
    schema('Store a key and a session of TMDB', SignInDone, SAVE_ERRORS, Save),
    async (request, reply) => {
      const instance = kit.instanceOf(request)
      const stored = kit.profile(instance)
      const { api_key: givenKey, session_id: givenSession } = request.body as Body
      const key = entered(givenKey, stored.api_key)
      const session = entered(givenSession, stored.session_id)
      const problem = keyProblem(key)
      if (problem !== undefined) return { ok: false, error: problem, instance }
      return orCode(reply, instance, async () => {
        const trial = kit.trial(instance, { api_key: key })
        const owner = session === '' ? {} : await checkSession(openAccount(trial, session))
        if (session === '') await checkKey(openApi(trial))
        await kit.account(instance).save({ api_key: key, ...(session === '' ? {} : { session_id: session, ...owner }) })
        kit.flows.cancel(instance, 'request_token')
        await kit.forget(instance)
        return { ok: true, instance }
      })
    },
  )

  app.get(
    '/api/metaA_sync/verify',
    schema('Whether the account at TMDB is connected; finishes a sign-in that was approved', Verified, VERIFY_ERRORS),
    async (request, reply) => {
      const instance = kit.instanceOf(request)
      const flow = await kit.flows.poll(instance, 'request_token')
      const { api_key: key, session_id: session, account_id: id, username } = kit.profile(instance)
      const pending = flow?.state === 'pending'
      if (key === '' && !pending) return { ok: true, connected: false, pending, error: 'api_key_required', instance }
      if (session === '') {
        if (pending && problems.has(instance))
          return { ok: false, connected: false, pending: false, error: 'verify_failed', instance }
        if (flow?.state === 'expired') {
          return reply
            .code(410 as 200)
            .send({ ok: false, status: 'expired', connected: false, pending: false, error: 'expired', instance })
        }
        return {
          ok: true,
          connected: false,
          pending,
          error: pending ? '' : (flow?.reason ?? 'not_connected'),
          instance,
        }
      }
      try {
        const owner = await checkSession(openAccount(kit.account(instance)))
        if (owner.account_id !== id || owner.username !== username) await kit.account(instance).save(owner)
        return {
          ok: true,
          connected: true,
          pending,
          account: { id: owner.account_id, username: owner.username },
          error: '',
          instance,
        }
      } catch (error) {
        if (!isPlayheadError(error)) throw error
        if (error.code === 'PLH_AUTH_FAILED')
          return { ok: true, connected: false, pending, error: error.wire, instance }
        codeOf(error)
        return { ok: false, connected: false, pending: false, error: 'verify_failed', instance }
      }
    },
  )

  signOutRoute(app, kit, '/api/metaA_sync/disconnect', 'Forget the account at TMDB and end its session there')
}

/** A masked or empty value means the stored one. */
function entered(given: string | null | undefined, stored: string): string {
  return isMasked(given) ? stored : String(given).trim()
}

async function orCode(reply: FastifyReply, instance: string, work: () => Promise<object>): Promise<object> {
  try {
    return await work()
  } catch (error) {
    return sendRefusal(reply, error, (refusal) => ({ error: codeOf(refusal), instance }))
  }
}
