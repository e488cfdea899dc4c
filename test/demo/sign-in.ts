// Connects stand-ins to a running service the way a person does it: through its HTTP API and the flows of each product.
import type { Jellyfin } from '../upstreams/jellyfin.ts'
import type { Plex } from '../upstreams/plex.ts'
import type { Trakt } from '../upstreams/trakt.ts'
import { type Client, expectOk, saveSettings, serviceClient, untilTrue } from '../stands/client.ts'
import { signInBy } from '../stands/flows.ts'
import { quickConnect, signInToServer } from '../stands/media-browser.ts'
import { plexAddresses, plexPin } from '../stands/plex.ts'
import { traktAddresses, traktDevice } from '../stands/trakt.ts'

export { type Client, expectOk, saveSettings, untilTrue } from '../stands/client.ts'

interface Addressed {
  readonly url: string
}

type ByPassword = Parameters<typeof signInToServer>[3]

interface TraktSignIn extends Pick<Trakt, 'url' | 'clientId' | 'clientSecret'> {
  approve(userCode: string, username?: string): unknown
}

export const signInToJellyfin = (client: Client, server: Addressed, as?: ByPassword): Promise<void> =>
  signInToServer(client, 'jellyfin', server, as)

export const signInToEmby = (client: Client, server: Addressed, as?: ByPassword): Promise<void> =>
  signInToServer(client, 'emby', server, as)

export const signInByQuickConnect = (
  client: Client,
  server: Jellyfin,
  { user = 'sam', instance = 'default' } = {},
): Promise<void> => signInBy(serviceClient(client, 'mediaB'), quickConnect(server), { instance, name: user })

export async function signInToPlex(client: Client, plex: Plex, { instance = 'default' } = {}): Promise<void> {
  await saveSettings(client, 'mediaA', plexAddresses(plex))
  await signInBy(serviceClient(client, 'mediaA'), plexPin(plex), { instance })
}

export async function signInToTrakt(
  client: Client,
  trakt: TraktSignIn,
  { username = 'ada', instance = 'default' } = {},
): Promise<void> {
  await saveSettings(client, 'trackA', traktAddresses(trakt))
  const application = { client_id: trakt.clientId, client_secret: trakt.clientSecret }
  await signInBy(serviceClient(client, 'trackA'), traktDevice(trakt, application), { instance, name: username })
}

/** Starts a run and waits for its end. */
export async function runToEnd(client: Client, request: object = {}, limitMs = 600_000): Promise<any> {
  const { run_id: runId } = await expectOk(client, '/api/run', request)
  let summary: any
  await untilTrue(
    'the run',
    async () => {
      summary = (await client.json('/api/run/summary')).body
      return summary.run_id === runId && summary.running === false
    },
    limitMs,
  )
  return summary
}
