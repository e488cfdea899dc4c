// The request bodies for provider routes: one body with the fields of all routes.
import type { Bench } from '@playhead/sdk/testing/conformance'

/** These routes end the sign-in, as they should. */
export const LEADS_AWAY = /\/(disconnect|token\/delete|cancel)$/

/** Credentials that no service issued. */
export const OTHERS = { api_key: '0'.repeat(32), session_id: 'another', username: 'another', password: 'another' }

/** @param path path of the route; some routes need their own value for a name that other routes use differently */
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
