// The sign-in: addresses and keys of both servers, and the user whose plays are read. Nothing is stored before both accepted.
import { isPlayheadError, PlayheadError, Type } from '@playhead/sdk'
import {
  type AccountContext,
  enteredFields,
  findServer,
  isElsewhere,
  providerRoutes,
  routeRow,
  saveWhenValid,
  SERVICE_ERRORS,
  signInAnswer,
  signOutRow,
} from '@playhead/sdk/provider'
import { openJellystat, openMediaServer } from './api.ts'
import { me, nameOf, openSession, type Session, usersOf } from './session.ts'
import type { Profile } from './settings.ts'
import { ServerInfo, ServerItems, type UserRow } from './wire.ts'

const MOST_NAMES = 20
const Text = (maxLength: number) => Type.Optional(Type.String({ maxLength }))

export const routes = providerRoutes<Profile, Session>({
  'POST save': routeRow({
    summary: 'Connect Jellystat and its media server, as one of its users',
    body: Type.Object({
      server: Text(500),
      api_key: Text(500),
      media_server: Text(500),
      media_key: Text(500),
      user: Text(200),
      verify_ssl: Type.Optional(Type.Boolean()),
    }),
    response: {
      200: signInAnswer({
        server: Type.String({ description: 'The address of Jellystat that answered.' }),
        media_server: Type.String({ description: 'The address of the media server that answered.' }),
        user: Type.String({ description: 'The name of the user.' }),
      }),
    },
    errors: {
      ...SERVICE_ERRORS,
      400: {
        ...SERVICE_ERRORS[400],
        missing_server: 'An address is missing.',
        invalid_server: 'This cannot be an address.',
        wrong_product: 'Something else answers at one of the addresses.',
        api_key_required: 'A key is missing.',
        user_required: 'The server has several users; enter whose plays are read.',
        unknown_user: 'Jellystat has no such user, or several of that name.',
      },
      401: {
        invalid_api_key: 'Jellystat does not accept its key.',
        invalid_media_key: 'The media server does not accept its key.',
      },
    },
    async run({ kit, instance, profile, body }) {
      const entered = enteredFields(body, ['server', 'api_key', 'media_server', 'media_key', 'user'])
      const more = body.verify_ssl === undefined ? {} : { verify_ssl: body.verify_ssl }
      const trial = (settings: Partial<Profile>) => kit.trial(instance, { ...settings, ...more })
      const server = await findServer(entered.server ?? profile.server, (at) => knock(trial({ server: at })))
      const mediaServer = await findServer(
        entered.media_server ?? profile.media_server,
        (at) => knockAtMediaServer(trial({ media_server: at })),
        ['jellyfin', 'emby'],
      )
      const keys = enteredFields(entered, ['api_key', 'media_key'])
      const settings = { server, media_server: mediaServer, user_id: '', ...keys, ...more }
      return saveWhenValid(kit, instance, settings, async (account) => {
        const { api_key: key, media_key: mediaKey } = account.profile
        if (key === '' || mediaKey === '')
          throw new PlayheadError('PLH_INVALID', 'Enter a key of Jellystat and one of the media server.', {
            wire: 'api_key_required',
          })
        const users = await accepted('invalid_api_key', 'Jellystat does not accept its API key.', () =>
          usersOf(openJellystat(account)),
        )
        await accepted('invalid_media_key', 'The media server does not accept its API key.', () =>
          openMediaServer(account).json({ path: 'Items', query: { Limit: 0 } }, ServerItems),
        )
        const user = chosen(users, entered.user ?? (entered.api_key === undefined ? profile.user : ''))
        const name = nameOf(user)
        const saved = { ...settings, api_key: key, media_key: mediaKey, user: name, user_id: user.UserId }
        await me(openSession(kit.trial(instance, saved)), AbortSignal.timeout(30_000))
        return { save: saved, result: { server, media_server: mediaServer, user: name } }
      })
    },
  }),

  'POST disconnect': signOutRow('Forget the addresses and the keys of Jellystat and its media server'),
})

/** Without a key Jellystat answers 401 with a message; anything else is another server. */
async function knock(trial: AccountContext<Profile>): Promise<void> {
  const answer = await openJellystat(trial, true).request({ path: 'stats/getAllUserActivity', accept: [401] })
  const text = await answer.text()
  if (answer.status !== 401 || !/authentication failed/i.test(text)) throw another('Jellystat')
}

async function knockAtMediaServer(trial: AccountContext<Profile>): Promise<void> {
  try {
    await openMediaServer(trial, true).json({ path: 'System/Info/Public' }, ServerInfo)
  } catch (error) {
    throw isElsewhere(error) ? another('Jellyfin or Emby') : error
  }
}

function another(product: string): PlayheadError {
  return new PlayheadError('PLH_INVALID', `Something answers at this address, but it is not ${product}.`, {
    wire: 'wrong_product',
  })
}

async function accepted<Result>(wire: string, message: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    // 404: Jellystat has no keys at all.
    const isRefused = isPlayheadError(error, 'PLH_AUTH_FAILED') || isPlayheadError(error, 'PLH_NOT_FOUND')
    throw isRefused ? new PlayheadError('PLH_AUTH_FAILED', message, { wire }) : error
  }
}

/** The user with this name or ID; without one the only user. */
function chosen(users: readonly UserRow[], wanted: string): UserRow {
  const name = wanted.toLowerCase()
  const [only, ...more] =
    wanted === '' ? users : users.filter((user) => user.UserId === wanted || nameOf(user).toLowerCase() === name)
  if (only !== undefined && more.length === 0) return only
  const names = users.slice(0, MOST_NAMES).map(nameOf).join(', ')
  throw wanted === ''
    ? new PlayheadError('PLH_INVALID', `Enter whose plays are read. Jellystat has the users ${names}.`, {
        wire: 'user_required',
      })
    : new PlayheadError('PLH_INVALID', `Jellystat has no user, or several, called "${wanted}". It has ${names}.`, {
        wire: 'unknown_user',
      })
}
