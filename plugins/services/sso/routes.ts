// Routes of signing in with Plex: start and poll, for a sign-in and for linking; unlink; and the final page.
import type { FastifyReply, FastifyRequest } from 'fastify'
import {
  type ClientLimit,
  clientSignal,
  optionalBody,
  type PluginApp,
  PlayheadError,
  type ProvenPerson,
  type SignInLink,
  Type,
  type Static,
} from '@playhead/sdk'
import { clearedFlowCookie, expired, flowCookie, type Flows, type Intent, readFlowCookie } from './flows.ts'
import type { PlexIdentity } from './plex.ts'

export interface SsoParts {
  readonly flows: Flows
  readonly startLimit: ClientLimit
  readonly plex: PlexIdentity
}

const PATH = '/api/app-auth/mediaA'
const Text = Type.String()
const Seconds = Type.Integer({ description: 'Epoch seconds; 0 for never.' })
const LINK = {
  enabled: Type.Boolean(),
  linked: Type.Boolean(),
  linked_username: Text,
  linked_email: Text,
  linked_thumb: Text,
  linked_at: Seconds,
}
const STATUS = { ...LINK, login_available: Type.Boolean() }
const Linked = Type.Partial(Type.Object({ ...LINK, client_id: Text, linked_mediaA_account_id: Text }))
const BLANK = { linked_username: '', linked_email: '', linked_thumb: '', linked_at: 0 }
const Begun = Type.Object({
  ok: Type.Boolean(),
  state: Text,
  auth_url: Text,
  pin_id: Type.Integer(),
  expires_at: Seconds,
})
const StartBody = optionalBody(Type.Object({ remember_me: Type.Optional(Type.Boolean({ default: false })) }))
const CheckBody = Type.Object({ state: Type.String({ maxLength: 200 }) })
const AnyBody = optionalBody(Type.Object({}, { additionalProperties: true }))
const Waiting = { ok: Type.Boolean(), pending: Type.Boolean() }

interface Approved {
  readonly person: ProvenPerson
  readonly remember: boolean
}

export function registerRoutes(app: PluginApp, { flows, startLimit, plex }: SsoParts): void {
  const signIn = app.playhead.signIn()

  app.get(
    `${PATH}/status`,
    schema('Whether an account is linked', { response: { 200: Type.Object(STATUS) } }),
    ({ caller }) => statusOf(signIn.link(), caller.session !== null),
  )

  app.post(
    `${PATH}/start`,
    schema('Start a sign-in', { body: StartBody, response: { 200: Begun } }),
    (request, reply) => {
      assertAvailable()
      const body = request.body as { readonly remember_me?: boolean } | null
      return begin(request, reply, 'login', body?.remember_me === true)
    },
  )

  app.post(
    `${PATH}/check`,
    schema('Check whether the sign-in was approved', {
      body: CheckBody,
      response: { 200: Type.Object({ ...Waiting, expires_at: Type.Optional(Seconds), username: Type.Optional(Text) }) },
    }),
    async (request, reply) => {
      assertAvailable()
      const approved = await poll(request, reply, 'login')
      if (approved === null) return { ok: true, pending: true }
      const { username, expiresAtMs } = await signIn.signIn(request, reply, approved.person, {
        remember: approved.remember,
      })
      return { ok: true, pending: false, expires_at: seconds(expiresAtMs), username }
    },
  )

  app.post(
    `${PATH}/link/start`,
    schema('Start linking an account', { body: AnyBody, response: { 200: Begun } }),
    (request, reply) => {
      assertEnabled()
      return begin(request, reply, 'link', false)
    },
  )

  app.post(
    `${PATH}/link/check`,
    schema('Check whether the link was approved', {
      body: CheckBody,
      response: { 200: Type.Object({ ...Waiting, ...Linked.properties }) },
    }),
    async (request, reply) => {
      assertEnabled()
      const approved = await poll(request, reply, 'link')
      if (approved === null) return { ok: true, pending: true }
      const link = await signIn.saveLink(request, approved.person)
      return {
        ok: true,
        pending: false,
        client_id: await signIn.clientId(),
        linked_mediaA_account_id: link.accountId,
        ...linkOf(link),
      }
    },
  )

  app.post(
    `${PATH}/unlink`,
    schema('Remove the link', { body: AnyBody, response: { 200: Type.Object({ ok: Type.Boolean(), ...STATUS }) } }),
    async (request, reply) => {
      assertEnabled()
      return { ok: true, ...statusOf(await signIn.removeLink(request, reply), true) }
    },
  )

  const page = { description: 'HTML', content: { 'text/html': { schema: Text } } }
  app.get(`${PATH}/callback`, schema('Where the browser returns to', { response: { 200: page } }), (_request, reply) =>
    reply.type('text/html; charset=utf-8').send(DONE),
  )

  async function begin(
    request: FastifyRequest,
    reply: FastifyReply,
    intent: Intent,
    remember: boolean,
  ): Promise<Static<typeof Begun>> {
    startLimit.count(request.caller.address)
    const returnTo = signIn.addressOf(request, `${PATH}/callback`)
    flows.endPrevious(readFlowCookie(request.headers.cookie))
    flows.assertCapacity()
    const { pinId, authUrl, lifeMs } = await plex.begin(await signIn.clientId(), returnTo, clientSignal(request))
    // Other flows may have started meanwhile.
    flows.assertCapacity()
    const { flow, nonce } = flows.open({ intent, pinId, remember, lifeMs, sessionId: sessionOf(request, intent) })
    void reply.header('set-cookie', flowCookie(nonce, request.caller.secure))
    return { ok: true, state: flow.state, auth_url: authUrl, pin_id: pinId, expires_at: seconds(flow.expiresAtMs) }
  }

  /** The approving account; null while it is pending. */
  async function poll(request: FastifyRequest, reply: FastifyReply, intent: Intent): Promise<Approved | null> {
    const { state } = request.body as Static<typeof CheckBody>
    const nonce = readFlowCookie(request.headers.cookie)
    const endCookie = () => void reply.header('set-cookie', clearedFlowCookie(request.caller.secure))
    const flow = flows.find({ state, intent, sessionId: sessionOf(request, intent) })
    if (!flows.isStartedBy(flow, nonce)) {
      endCookie()
      throw new PlayheadError('PLH_INVALID', 'This sign-in was started in another browser. Start again in this one.', {
        wire: 'wrong_browser',
      })
    }
    if (!flows.tryLock(flow)) return null

    let isOver = false
    try {
      const clientId = await signIn.clientId()
      const token = await plex.tokenOf(clientId, flow.pinId, clientSignal(request))
      if (token === null) return null
      isOver = true
      endCookie()
      if (token === 'gone') throw expired()
      return { person: await plex.personOf(clientId, token, clientSignal(request)), remember: flow.remember }
    } finally {
      flows.unlock(flow, isOver)
    }
  }

  function assertEnabled(): void {
    if (signIn.link().authentication === 'enabled') return
    throw new PlayheadError('PLH_INVALID', 'Authentication is off, so there is nothing to sign in to.', {
      wire: 'authentication_disabled',
    })
  }

  function assertAvailable(): void {
    assertEnabled()
    if (signIn.link().available) return
    throw new PlayheadError('PLH_INVALID', 'No Plex account is linked yet. Sign in with the password and link one.', {
      wire: 'not_linked',
    })
  }
}

// Static page without scripts or request data.
const DONE =
  '<!doctype html><html lang="en"><meta charset="utf-8"><title>Playhead</title>' +
  '<p>Done. You can close this window and return to Playhead.</p></html>'

function schema(summary: string, parts: object): { schema: object } {
  return { schema: { summary, ...parts } }
}

// Linking belongs to the session that started it; a sign-in has no session.
function sessionOf({ caller }: FastifyRequest, intent: Intent): string | null {
  return intent === 'link' ? (caller.session?.id ?? null) : null
}

function statusOf(link: SignInLink, isSignedIn: boolean): Static<ReturnType<typeof Type.Object<typeof STATUS>>> {
  return { ...linkOf(link), login_available: link.available, ...(isSignedIn ? {} : BLANK) }
}

function linkOf({
  enabled,
  linked,
  username,
  email,
  thumb,
  linkedAtMs,
}: SignInLink): Static<ReturnType<typeof Type.Object<typeof LINK>>> {
  return {
    enabled,
    linked,
    linked_username: username,
    linked_email: email,
    linked_thumb: thumb,
    linked_at: seconds(linkedAtMs),
  }
}

function seconds(ms: number): number {
  return Math.floor(ms / 1_000)
}
