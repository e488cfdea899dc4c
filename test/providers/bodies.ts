// What a person sends to the routes of the providers: one body that has all that any of them asks for.
import type { Bench } from '@playhead/sdk/testing/conformance'

/** These end the sign-in, as they should. */
export const LEADS_AWAY = /\/(disconnect|token\/delete|cancel)$/

/** Credentials that no service ever gave. */
export const OTHERS = { api_key: '0'.repeat(32), session_id: 'another', username: 'another', password: 'another' }

/** @param path of the route; a few want something of their own under a name that others use otherwise */
export function bodyFor(plugin: string, path: string, { simulator, host }: Bench): Readonly<Record<string, unknown>> {
  const settings = host.ctx.config as Readonly<Record<string, unknown>>
  const text = (name: string) =>
    typeof settings[name] === 'string' && settings[name] !== '' ? { [name]: settings[name] } : {}
  const server = simulator.services[0]?.url
  return {
    server,
    server_url: server,
    ...text('api_key'),
    ...text('client_id'),
    ...text('client_secret'),
    ...text('session_id'),
    username: 'sam',
    password: 'the-password-of-sam',
    origin: 'http://playhead.test',
    auth_method: 'api_key',
    ...(plugin === 'nuvio' && path.endsWith('/select') ? { profile_id: 1 } : {}),
  }
}
