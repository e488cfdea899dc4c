// The sign-in: address, name and password of Kodi's web server. Nothing is stored before the box accepted them.
import { isPlayheadError, isTimeZone, PlayheadError, Type } from '@playhead/sdk'
import {
  enteredFields,
  providerRoutes,
  routeRow,
  saveWhenValid,
  SERVICE_ERRORS,
  signInAnswer,
  signOutRow,
  trimAddress,
} from '@playhead/sdk/provider'
import type { Rpc } from './rpc.ts'
import { openSession, type Session, settingOf } from './session.ts'
import type { Profile } from './settings.ts'
import { Permission, Pong, Version } from './wire.ts'

/** Kodi 17: ratings of a person, ids of each scraper. */
const OLDEST = 8
const EVENTS_PORT = 9090
const LIMIT_MS = 30_000
const SWITCH_ON =
  'In Kodi open Settings, Services, Control, and switch on "Allow remote control via HTTP". The port is shown there.'

const Text = (maxLength: number) => Type.Optional(Type.String({ maxLength }))

export const routes = providerRoutes<Profile, Session>({
  'POST login': routeRow({
    summary: 'Connect a Kodi box',
    body: Type.Object({
      server: Text(500),
      username: Text(200),
      password: Text(1_000),
      time_zone: Text(64),
      verify_ssl: Type.Optional(Type.Boolean()),
    }),
    response: {
      200: signInAnswer({
        server: Type.String({ description: 'The address that answered.' }),
        name: Type.String({ description: 'The name of the box.' }),
        time_zone: Type.String(),
      }),
    },
    errors: {
      ...SERVICE_ERRORS,
      400: {
        ...SERVICE_ERRORS[400],
        missing_server: 'There is no address.',
        invalid_server: 'This cannot be an address.',
        invalid_time_zone: 'This time zone does not exist.',
        time_zone_needed: 'Kodi does not say in which time zone it runs; enter it.',
        version_too_old: 'Kodi 17 or later is needed.',
      },
      401: { invalid_credentials: 'Kodi refuses the name or the password.' },
      403: { forbidden: 'Kodi does not permit reading its library.' },
      502: { web_server_off: 'Nothing answers there: the web server of Kodi is off, or has another port.' },
      504: { unreachable: 'The box does not answer: it is off or asleep, or a firewall is in between.' },
    },
    run({ kit, instance, profile, body }) {
      const entered = enteredFields(body, ['server', 'username', 'password', 'time_zone'])
      const server = addressOf(entered.server ?? profile.server)
      const verify = body.verify_ssl === undefined ? {} : { verify_ssl: body.verify_ssl }
      return saveWhenValid(kit, instance, { ...entered, server, ...verify }, async (trial) => {
        const signal = AbortSignal.timeout(LIMIT_MS)
        return explained(async () => {
          const session = openSession(trial)
          await check(session.rpc, signal)
          const zone = await zoneOf(session.rpc, entered.time_zone ?? '', signal)
          const { name } = await session.state(signal)
          const { username, password } = trial.profile
          const events = { events_server: eventsAt(server) }
          return {
            save: { server, username, password, time_zone: zone, ...events, ...verify },
            result: { server, name, time_zone: zone },
          }
        })
      })
    },
  }),
  'POST disconnect': signOutRow('Forget the address and the password of a Kodi box'),
})

/** People paste the address of Chorus, the page of Kodi: `http://box:8080/#movies`. */
function addressOf(entered: string): string {
  const text = trimAddress(entered)
  if (text === '') throw new PlayheadError('PLH_INVALID', 'Enter the address of Kodi.', { wire: 'missing_server' })
  const url = URL.parse(/^https?:\/\//i.test(text) ? text : `http://${text}`)
  if (url === null || url.hostname === '')
    throw new PlayheadError('PLH_INVALID', 'Enter the address of Kodi, for example http://192.168.1.20:8080.', {
      wire: 'invalid_server',
    })
  return trimAddress(`${url.origin}${url.pathname.replace(/\/(?:jsonrpc|index\.html)?$/, '')}`)
}

function eventsAt(server: string): string {
  const { hostname } = new URL(server)
  return `http://${hostname}:${EVENTS_PORT}`
}

/** Kodi answers there, is recent enough, and permits reading. */
async function check(rpc: Rpc, signal: AbortSignal): Promise<void> {
  await rpc.call('JSONRPC.Ping', {}, Pong, signal)
  const { version } = await rpc.call('JSONRPC.Version', {}, Version, signal)
  if (version.major < OLDEST)
    throw new PlayheadError('PLH_INVALID', 'This Kodi is too old. Update it to Kodi 17 or later.', {
      wire: 'version_too_old',
    })
  const allowed = await rpc.call('JSONRPC.Permission', {}, Permission, signal)
  if (allowed['ReadData'] !== true)
    throw new PlayheadError('PLH_FORBIDDEN', 'Kodi does not permit reading its library.')
}

/** Boxes with Linux name their zone; others do not. */
async function zoneOf(rpc: Rpc, entered: string, signal: AbortSignal): Promise<string> {
  const zone = await settingOf(rpc, 'locale.timezone', signal)
  if (isTimeZone(zone)) return zone
  if (isTimeZone(entered)) return entered
  if (entered !== '')
    throw new PlayheadError('PLH_INVALID', `There is no time zone "${entered}". An example: Europe/Berlin.`, {
      wire: 'invalid_time_zone',
    })
  throw new PlayheadError(
    'PLH_INVALID',
    'Kodi does not say in which time zone the box runs. Enter it, for example Europe/Berlin.',
    { wire: 'time_zone_needed' },
  )
}

/** Failures in the words of a person in front of the box. */
async function explained<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (!isPlayheadError(error) || error.details?.['rpc'] !== undefined) throw error
    const { reason, status } = error.details ?? {}
    if (error.code === 'PLH_AUTH_FAILED')
      throw new PlayheadError('PLH_AUTH_FAILED', 'Kodi refuses the name or the password.', {
        wire: 'invalid_credentials',
      })
    if (reason === 'refused')
      throw new PlayheadError('PLH_UPSTREAM', `Nothing answers at this address. ${SWITCH_ON}`, {
        wire: 'web_server_off',
      })
    if (error.code === 'PLH_NOT_FOUND' || error.code === 'PLH_UPSTREAM_INVALID' || status === 405)
      throw new PlayheadError('PLH_UPSTREAM', `Something answers at this address, but it is not Kodi. ${SWITCH_ON}`, {
        wire: 'web_server_off',
      })
    if (error.code === 'PLH_UPSTREAM_TIMEOUT' || reason === 'unknown_host' || reason === 'unreachable')
      throw new PlayheadError(
        'PLH_UPSTREAM_TIMEOUT',
        'The box does not answer. Is it on, and is the address right? A box that sleeps has to be woken first.',
        { wire: 'unreachable' },
      )
    throw error
  }
}
