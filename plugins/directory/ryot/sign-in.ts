// The sign-in: name and password are exchanged for a token, or a token is entered. Nothing is stored before the server accepted
// it.
import { isPlayheadError, PlayheadError, Type } from '@playhead/sdk'
import {
  enteredFields,
  firstPlace,
  providerRoutes,
  routeRow,
  saveWhenValid,
  SERVICE_ERRORS,
  signInAnswer,
  signOutRow,
  trimAddress,
} from '@playhead/sdk/provider'
import { type Ask, askWith, openApi } from './api.ts'
import { type Session, whoAmI } from './session.ts'
import type { Profile } from './settings.ts'

const LIMIT_MS = 30_000
/** Ryot 9.3: ratings from 0 to 100 in every answer. */
const OLDEST = [9, 3] as const

const Text = (maxLength: number) => Type.Optional(Type.String({ maxLength }))
const Version = Type.Object({ coreDetails: Type.Object({ version: Type.String() }) })
const SignedIn = Type.Object({
  loginUser: Type.Object({
    __typename: Type.String(),
    apiKey: Type.Optional(Type.String({ minLength: 1 })),
    error: Type.Optional(Type.String()),
  }),
})

export const routes = providerRoutes<Profile, Session>({
  'POST login': routeRow({
    summary: 'Connect a Ryot server',
    body: Type.Object({
      server: Text(500),
      username: Text(200),
      password: Text(1_000),
      api_token: Text(4_000),
      verify_ssl: Type.Optional(Type.Boolean()),
    }),
    response: {
      200: signInAnswer({
        server: Type.String({ description: 'The address that answered.' }),
        name: Type.String({ description: 'The user.' }),
      }),
    },
    errors: {
      ...SERVICE_ERRORS,
      400: {
        ...SERVICE_ERRORS[400],
        missing_server: 'There is no address.',
        missing_credentials: 'Name and password, or a token, are missing.',
        two_factor: 'The account asks for a second factor. Enter a token of Ryot instead.',
        version_too_old: 'Ryot 9.3 or later is needed.',
      },
      401: { invalid_credentials: 'Ryot refuses the name and password, or the token.' },
      502: { not_ryot: 'Something answers at this address, but it is not Ryot.' },
    },
    async run({ kit, instance, profile, body }) {
      const entered = enteredFields(body, ['server', 'username', 'api_token'])
      const text = trimAddress(entered.server ?? profile.server)
      if (text === '') throw new PlayheadError('PLH_INVALID', 'Enter the address of Ryot.', { wire: 'missing_server' })
      const { password = '' } = body
      const { username } = entered
      if (entered.api_token === undefined && (username === undefined || password === ''))
        throw new PlayheadError('PLH_INVALID', 'Enter your name and password, or a token of Ryot.', {
          wire: 'missing_credentials',
        })
      const verify = body.verify_ssl === undefined ? {} : { verify_ssl: body.verify_ssl }
      const signal = AbortSignal.timeout(LIMIT_MS)
      const open = (settings: Partial<Profile>): Ask =>
        askWith(openApi(kit.trial(instance, { api_token: '', ...settings, ...verify })))
      const server = await serverAt(/^https?:\/\//i.test(text) ? text : `http://${text}`, open, signal)
      const token = entered.api_token ?? (await tokenOf(open({ server }), username!, password, signal))
      return saveWhenValid(kit, instance, { server, api_token: token, ...verify }, async (trial) => {
        const { user } = await whoAmI(askWith(openApi(trial)), server, signal).catch((error: unknown) => {
          throw isPlayheadError(error, 'PLH_AUTH_FAILED') ? refused() : error
        })
        return {
          save: { server, username: user.name, api_token: token, ...verify },
          result: { server, name: user.name },
        }
      })
    },
  }),
  'POST disconnect': signOutRow('Forget the address and the token of a Ryot server'),
})

/** The address at which Ryot answers; no secret is sent there before. */
async function serverAt(
  address: string,
  open: (settings: Partial<Profile>) => Ask,
  signal: AbortSignal,
): Promise<string> {
  let version = ''
  try {
    const place = await firstPlace(address, async (server) => {
      const query = 'query { coreDetails { version } }'
      const { coreDetails } = await open({ server: trimAddress(server) })({ query }, Version, { signal })
      version = coreDetails.version
      return server
    })
    if (isOlder(version)) throw tooOld()
    return trimAddress(place)
  } catch (error) {
    if (isPlayheadError(error, 'PLH_NOT_FOUND') || isPlayheadError(error, 'PLH_UPSTREAM_INVALID'))
      throw new PlayheadError('PLH_UPSTREAM', 'Something answers at this address, but it is not Ryot.', {
        wire: 'not_ryot',
      })
    throw error
  }
}

/** Versions of a build from the source have no numbers. */
function isOlder(version: string): boolean {
  const [, major, minor] = /^v?(\d+)\.(\d+)/.exec(version) ?? []
  if (major === undefined || minor === undefined) return false
  return Number(major) < OLDEST[0] || (Number(major) === OLDEST[0] && Number(minor) < OLDEST[1])
}

async function tokenOf(ask: Ask, username: string, password: string, signal: AbortSignal): Promise<string> {
  const { loginUser } = await ask(
    {
      query: `mutation($input: AuthUserInput!) {
        loginUser(input: $input) {
          __typename
          ... on ApiKeyResponse { apiKey }
          ... on LoginError { error }
        }
      }`,
      variables: { input: { password: { username, password } } },
    },
    SignedIn,
    { signal, repeat: false },
  )
  if (loginUser.apiKey !== undefined) return loginUser.apiKey
  if (loginUser.error !== undefined) throw refused()
  throw new PlayheadError('PLH_INVALID', 'The account asks for a second factor. Enter a token of Ryot instead.', {
    wire: 'two_factor',
  })
}

function refused(): PlayheadError {
  return new PlayheadError('PLH_AUTH_FAILED', 'Ryot refuses the name and password, or the token.', {
    wire: 'invalid_credentials',
  })
}

function tooOld(): PlayheadError {
  return new PlayheadError('PLH_INVALID', 'This Ryot is too old. Update it to 9.3 or later.', {
    wire: 'version_too_old',
  })
}
