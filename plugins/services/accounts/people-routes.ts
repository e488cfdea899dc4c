// Users of a server for whom one account can act: their list, accounts made of them, and the confirmation of a user.
import {
  isPlayheadError,
  orNull,
  oneOf,
  PlayheadError,
  type PluginApp,
  type ProfileState,
  type Remote,
  type ServerUser,
  skipSerializer,
  Type,
  type UsersProvider,
} from '@playhead/sdk'
import { profileOf } from './accounts.ts'
import type { LiveProvider } from './directory.ts'
import type { Parts } from './parts.ts'
import { readLabel } from './profile-input.ts'
import { targetOf } from './probes.ts'
import { type SavedProfile, Saved } from './profile-routes.ts'

const Text = Type.String()
const ByProfile = Type.Object({ provider: Type.String({ maxLength: 64 }), instance: Type.String({ maxLength: 64 }) })
const People = Type.Object({
  ok: Type.Boolean(),
  instance: Text,
  people: Type.Array(
    Type.Object({
      id: Text,
      name: Text,
      state: Type.Unsafe<string>({
        ...oneOf(['self', 'account', 'available', 'own_sign_in', 'disabled']),
        description:
          '`self`: the user of this account. `account`: another account reaches it. `own_sign_in`: this user has to ' +
          'sign in. `disabled`: by the server.',
      }),
      instance: orNull(Type.String({ description: 'The profile that reaches it.' })),
      secret: orNull(Type.String({ description: 'Name of the secret that is needed, such as PIN.' })),
    }),
  ),
  reason: orNull(Type.String({ description: 'With `ok: false`: why there are none, as a code.' })),
  message: orNull(Text),
})
const AddBody = Type.Object({
  id: Type.String({ minLength: 1, maxLength: 200, description: "The server's id of the user." }),
  secret: Type.Optional(Type.String({ maxLength: 200, description: 'For a user that needs one.' })),
  label: Type.Optional(Type.String({ maxLength: 200, description: 'Name of the account. Default: of the user.' })),
})

interface OfProfile {
  readonly Params: { readonly provider: string; readonly instance: string }
}
interface Adding extends OfProfile {
  readonly Body: { readonly id: string; readonly secret?: string; readonly label?: string }
}

export function registerPeopleRoutes(app: PluginApp, saved: SavedProfile, parts: Parts): void {
  const { directory, probes, accounts, forget } = parts
  const { events } = app.playhead

  async function found(params: OfProfile['Params']) {
    const provider = await directory.find(params.provider)
    const { label, users } = provider.about
    const { id: instance } = profileOf(provider, params.instance)
    if (users !== true)
      throw new PlayheadError('PLH_UNSUPPORTED', `${label} has no users for whom one sign-in can act.`)
    return { provider, instance, handle: provider.handle as unknown as Remote<UsersProvider> }
  }

  /** The account that a profile is known to reach, without a request. */
  const known = (provider: LiveProvider, profile: ProfileState) =>
    profile.actsAs?.account ?? probes.last(targetOf(provider, profile))?.health.account

  function rowOf(provider: LiveProvider, { id, name, account, isSelf, refusal, secret }: ServerUser) {
    const other = provider.profiles.find((one) => one.configured && known(provider, one) === account)
    const state = isSelf ? 'self' : other !== undefined ? 'account' : (refusal ?? 'available')
    return { id, name, state, instance: other?.id ?? null, secret: secret ?? null }
  }

  app.get<OfProfile>(
    '/api/connections/:provider/:instance/people',
    {
      ...skipSerializer,
      schema: { summary: 'The users of the server of an account', params: ByProfile, response: { 200: People } },
    },
    async ({ params }) => {
      const { provider, instance, handle } = await found(params)
      try {
        const people = (await handle.users(instance)).map((user) => rowOf(provider, user))
        return { ok: true, instance, people, reason: null, message: null }
      } catch (error) {
        if (!isPlayheadError(error)) throw error
        return { ok: false, instance, people: [], reason: error.wire, message: error.message }
      }
    },
  )

  app.post<Adding>(
    '/api/connections/:provider/:instance/people',
    {
      ...skipSerializer,
      schema: {
        summary: 'Make an account of a user, through the sign-in of this one',
        params: ByProfile,
        body: AddBody,
        response: { 200: Saved },
      },
    },
    async ({ params, body }) => {
      const { provider, instance, handle } = await found(params)
      const label = readLabel(body.label)
      const made = await answered(async () => {
        const user = (await handle.users(instance)).find(({ id }) => id === body.id)
        for (const profile of user === undefined ? [] : provider.profiles) {
          if (profile.id === instance || !profile.configured) continue
          const account = known(provider, profile) ?? (await accounts.reached(provider.about.id, profile.id))
          if (account === user?.account)
            throw new PlayheadError('PLH_CONFLICT', `${user?.name} has an account already.`, {
              wire: 'user_has_account',
              details: { instance: profile.id },
            })
        }
        return handle.actAs(instance, {
          id: body.id,
          ...(body.secret ? { secret: body.secret } : {}),
          ...(label ? { label } : {}),
        })
      })
      const answer = await saved(provider, made)
      events.emit('account.created', { provider: provider.about.id, instance: made })
      return answer
    },
  )

  app.post<OfProfile>(
    '/api/connections/:provider/:instance/confirm-user',
    {
      ...skipSerializer,
      schema: {
        summary: 'Confirm that a renamed or recreated user is the same person',
        params: ByProfile,
        response: { 200: Type.Object({ ok: Type.Boolean() }) },
      },
    },
    async ({ params }) => {
      const { provider, instance, handle } = await found(params)
      await answered(() => handle.confirmUser(instance))
      forget(provider.about.id)
      return { ok: true }
    },
  )
}

/** A refusal by the server does not concern the session of the caller. */
async function answered<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (!isPlayheadError(error, 'PLH_AUTH_FAILED')) throw error
    throw new PlayheadError('PLH_CONFLICT', error.message, { wire: error.wire, cause: error })
  }
}
