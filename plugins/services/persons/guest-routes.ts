// Routes of sign-in links: those of the household, and the public ones of the page on which a guest signs in.
import {
  type Caller,
  createClientLimit,
  DEFAULT_PROFILE,
  isPlayheadError,
  oneOf,
  orNull,
  ownBaseUrl,
  PlayheadError,
  type PluginApp,
  skipSerializer,
  Type,
} from '@playhead/sdk'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type GuestLink, type Guests, type GuestSignIn, type GuestView, SESSION_MS } from './guests.ts'
import { Name } from './routes.ts'

const Text = Type.String()
const Seconds = Type.Integer({ description: 'Epoch seconds.' })
const Link = Type.Object(
  {
    id: Text,
    person: Type.String({ description: 'Id of the person who signs in.' }),
    provider: Text,
    label: Text,
    state: oneOf(['open', 'started', 'done']),
    expires_at: Seconds,
  },
  { title: 'SignInLink' },
)
const CreateBody = Type.Object(
  {
    provider: Type.String({ minLength: 1, maxLength: 64 }),
    person: Type.Optional(Type.String({ minLength: 1, maxLength: 64, description: 'Id of a person; or `name`.' })),
    name: Type.Optional({ ...Name, description: 'The person of this name, who is added if there is none.' }),
    from: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 64,
        description:
          'The profile whose settings the new one gets, such as the address of the server; no credentials. Default: `default`.',
      }),
    ),
  },
  { additionalProperties: false, title: 'SignInLinkRequest' },
)
const ById = Type.Object({ id: Type.String({ minLength: 1, maxLength: 64 }) })
const Token = Type.String({ minLength: 1, maxLength: 100 })
const View = {
  ok: Type.Boolean(),
  service: Type.String({ description: 'The name of the service.' }),
  person: Type.String({ description: 'The name of the guest.' }),
  expires_at: Seconds,
}
const SignIn = Type.Object({
  ...View,
  status: oneOf(['none', 'pending', 'authorized', 'denied', 'expired', 'failed']),
  code: orNull(Text),
  url: orNull(Type.String({ description: 'The page of the service.' })),
  code_expires_at: orNull(Seconds),
  interval: Type.Integer({ description: 'Seconds between two polls.' }),
})

const COOKIE = 'playhead_guest'
// 32 bytes as base64url.
const VALUE = new RegExp(`(?:^|;\\s*)${COOKIE}=([A-Za-z0-9_-]{43})(?:;|$)`)

interface OfLink {
  readonly Params: { readonly id: string }
}
interface Creating {
  readonly Body: { readonly provider: string; readonly person?: string; readonly name?: string; readonly from?: string }
}

export function registerGuestRoutes(app: PluginApp, guests: Guests): void {
  // Guesses, and the accounts that starts make.
  const limit = createClientLimit({
    most: 20,
    withinMs: 600_000,
    message: 'Too many attempts from here. Try again later.',
  })

  app.get(
    '/api/sign-in-links',
    {
      ...skipSerializer,
      schema: {
        summary: 'The links with which persons sign in, and the services that have such links',
        response: {
          200: Type.Object({
            ok: Type.Boolean(),
            links: Type.Array(Link),
            services: Type.Array(Type.Object({ provider: Text, label: Text })),
          }),
        },
      },
    },
    async () => ({ ok: true, links: (await guests.list()).map(shownLink), services: await guests.services() }),
  )

  app.post<Creating>(
    '/api/sign-in-links',
    {
      ...skipSerializer,
      schema: {
        summary: 'Make a link with which one person signs in once at one service',
        body: CreateBody,
        response: {
          200: Type.Object({
            ok: Type.Boolean(),
            link: Link,
            url: Type.String({ description: 'Shown this once. The part after # is the token, which no server sees.' }),
          }),
        },
      },
    },
    async ({ body: { provider, person, name, from }, caller }) => {
      const owner = person !== undefined ? { id: person } : name !== undefined ? { name } : undefined
      if (owner === undefined || (person !== undefined && name !== undefined))
        throw new PlayheadError('PLH_INVALID', 'Send the ID of a person, or a name.', { wire: 'person_required' })
      const { link, token } = await guests.create({ provider, person: owner, from: from ?? DEFAULT_PROFILE })
      return { ok: true, link: shownLink(link), url: `${ownBaseUrl(caller)}/guest#${token}` }
    },
  )

  app.delete<OfLink>(
    '/api/sign-in-links/:id',
    {
      ...skipSerializer,
      schema: {
        summary: 'Revoke a link; a sign-in that was completed stays',
        params: ById,
        response: { 200: Type.Object({ ok: Type.Boolean() }) },
      },
    },
    async ({ params }) => {
      await guests.revoke(params.id)
      return { ok: true }
    },
  )

  app.post<{ Body: { readonly token: string } }>(
    '/api/guest/look',
    {
      ...skipSerializer,
      schema: {
        summary: 'What a sign-in link is for; it is not used by that',
        body: Type.Object({ token: Token }, { additionalProperties: false }),
        response: { 200: Type.Object(View) },
      },
    },
    async ({ body, caller }) => {
      limit.count(caller.address)
      return { ok: true, ...shownView(await guests.look(body.token)) }
    },
  )

  app.post<{ Body: { readonly token?: string } }>(
    '/api/guest/start',
    {
      ...skipSerializer,
      schema: {
        summary: 'Start the sign-in of a link, which is used by that; without a token another code for this browser',
        body: Type.Object({ token: Type.Optional(Token) }, { additionalProperties: false }),
        response: { 200: SignIn },
      },
    },
    async (request, reply) => {
      const { body, caller } = request
      limit.count(caller.address)
      if (body.token === undefined) return shownSignIn(await guests.again(sessionOf(request)))
      // A secret that the browser has already is never taken over.
      const { session, signIn } = await guests.start(body.token)
      setCookie(reply, caller, session)
      return shownSignIn(signIn)
    },
  )

  app.post(
    '/api/guest/poll',
    { ...skipSerializer, schema: { summary: 'Progress of the sign-in of this browser', response: { 200: SignIn } } },
    async (request) => {
      try {
        return shownSignIn(await guests.poll(sessionOf(request)))
      } catch (error) {
        if (isPlayheadError(error, 'PLH_NOT_FOUND')) limit.count(request.caller.address)
        throw error
      }
    },
  )
}

function sessionOf({ headers }: FastifyRequest): string {
  return VALUE.exec(headers.cookie ?? '')?.[1] ?? ''
}

function setCookie(reply: FastifyReply, { secure, basePath = '' }: Caller, session: string): void {
  const rules = `Path=${basePath}/api/guest; HttpOnly; SameSite=Strict${secure ? '; Secure' : ''}`
  void reply.header('set-cookie', `${COOKIE}=${session}; ${rules}; Max-Age=${SESSION_MS / 1_000}`)
}

function shownLink({ untilMs, ...link }: GuestLink) {
  return { ...link, expires_at: seconds(untilMs) }
}

function shownView({ service, person, untilMs }: GuestView) {
  return { service, person, expires_at: seconds(untilMs) }
}

function shownSignIn({ status, code, url, expiresAtMs, intervalMs, ...view }: GuestSignIn) {
  return {
    ok: true,
    ...shownView(view),
    ...{ status, code, url, code_expires_at: expiresAtMs === null ? null : seconds(expiresAtMs) },
    interval: Math.ceil(intervalMs / 1_000),
  }
}

function seconds(atMs: number): number {
  return Math.floor(atMs / 1_000)
}
